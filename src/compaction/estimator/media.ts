/**
 * Prices of images and documents, which are billed by their size as seen, never by their bytes.
 *
 * @since 0.1.0
 */
import type * as Message from "../../session/Message.ts"
import type { Family } from "./families.ts"

type ImagePrice = (width: number, height: number) => number

/**
 * OpenAI's rule for tiles (https://platform.openai.com/docs/guides/images-vision, "calculating costs"): fit into 2,048 by
 * 2,048 pixels, then bring the shorter side to 768, then 170 tokens for each tile of 512 by 512 and 85 for the whole.
 */
const openAiTiles: ImagePrice = (width, height) => {
  const fit = Math.min(1, 2048 / Math.max(width, height))
  const scale = fit * Math.min(1, 768 / (fit * Math.min(width, height)))
  return 85 + 170 * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
}

/** Anthropic's rule (https://docs.anthropic.com/en/docs/build-with-claude/vision): pixels / 750; larger ones are scaled down. */
const anthropicPixels: ImagePrice = (width, height) => Math.min(1600, Math.ceil((width * height) / 750))

/**
 * Google's rule for Gemini (https://ai.google.dev/gemini-api/docs/image-understanding): 258 tokens up to 384 by 384 pixels;
 * above, 258 for each tile, whose side is the shorter side of the image over 1.5. The cap is ours: three tiles by two.
 */
const geminiTiles: ImagePrice = (width, height) => {
  if (width <= 384 && height <= 384) return 258
  const side = Math.max(1, Math.floor(Math.min(width, height) / 1.5))
  return Math.min(6, Math.ceil(width / side) * Math.ceil(height / side)) * 258
}

/** Qwen's rule (its model cards of Qwen2-VL and Qwen2.5-VL): a token for each 28 by 28 pixels, 4 to 16,384. */
const qwenPatches: ImagePrice = (width, height) =>
  Math.min(16_384, Math.max(4, Math.ceil(width / 28) * Math.ceil(height / 28)))

const imagePrices: Partial<Record<Family, ImagePrice>> = {
  o200k: openAiTiles,
  cl100k: openAiTiles,
  gemma3: geminiTiles,
  qwen3: qwenPatches
}

/** What an image of unknown size is taken for: a screen. */
const unknownSize = { width: 1920, height: 1080 }

/**
 * Tokens of an image for a family; by Anthropic's rule where the family has none of its own.
 *
 * @since 0.1.0
 * @category getters
 */
export const imageTokens = (family: Family, { height, width }: Message.ImageBlock): number => {
  const price = imagePrices[family] ?? anthropicPixels
  return width === undefined || height === undefined
    ? price(unknownSize.width, unknownSize.height)
    : price(width, height)
}

/**
 * Tokens of a document. Anthropic states 1,500 to 3,000 tokens of text a page
 * (https://docs.anthropic.com/en/docs/build-with-claude/pdf-support); one of unknown length is priced as one page.
 *
 * @since 0.1.0
 * @category getters
 */
export const documentTokens = (file: Message.FileBlock): number => Math.ceil(file.pages ?? 1) * 1500
