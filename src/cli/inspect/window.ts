/**
 * The context window that a session is held against.
 *
 * @since 0.1.0
 */
import * as Anthropic from "../../layers/adapters/anthropicPresets.ts"
import * as KnownWindows from "../../layers/adapters/knownWindows.ts"
import * as OpenAi from "../../layers/adapters/openAiChatPresets.ts"
import * as Route from "../../session/Route.ts"
import type { Window } from "./report.ts"

/** What is taken where nobody knows, the smaller ones first: most coding models of today have one of these. */
const assumed = [200_000, 1_000_000, 2_000_000]

/** Gateways put the maker before the model's name. */
const bareName = (model: string): string => model.slice(model.lastIndexOf("/") + 1)

const knownTo = ({ model, provider }: Route.Route): number | undefined => {
  const name = bareName(model)
  const own = OpenAi.presetOf(provider)
  const rows = own === undefined ? Object.values<OpenAi.Preset>(OpenAi.presets) : [own]
  const found =
    Anthropic.infoOf(name) ??
    rows.map(({ windows }) => KnownWindows.preset(windows, name)).find((info) => info !== undefined)
  return found?.window
}

/**
 * The one that was given, else that of the model's row, else an assumption that says so: the smallest usual window that holds
 * `largest`, the largest count of the session.
 *
 * @since 0.1.0
 * @category constructors
 */
export const windowOf = (given: number | undefined, route: Route.Route | undefined, largest: number): Window => {
  if (given !== undefined) return { tokens: given, from: "given", why: "given with --window" }
  const known = route === undefined ? undefined : knownTo(route)
  if (route !== undefined && known !== undefined) {
    return { tokens: known, from: "model", why: `known of ${Route.format(route)}` }
  }
  const tokens = assumed.find((window) => window >= largest) ?? largest
  const why = route === undefined ? "the file names no model" : `nothing is known of ${Route.format(route)}`
  return { tokens, from: "assumed", why: `assumed, since ${why}; --window says another` }
}
