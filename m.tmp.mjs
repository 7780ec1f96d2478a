// src/cli/meter.ts
import * as Args from "@effect/cli/Args";
import * as Command from "@effect/cli/Command";
import * as Options from "@effect/cli/Options";
import * as Console from "effect/Console";
import * as Effect2 from "effect/Effect";
import * as Option from "effect/Option";

// src/session/CanonicalJson.ts
var canonical = (value) => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const sorted = /* @__PURE__ */ Object.create(null);
  for (const key3 of Object.keys(value).sort()) {
    const field = value[key3];
    if (field === void 0 || Array.isArray(field) && field.length === 0) continue;
    sorted[key3] = canonical(field);
  }
  return sorted;
};
var encode = (value) => JSON.stringify(canonical(value)) ?? "null";

// src/session/Message.ts
import * as Schema2 from "effect/Schema";

// src/session/exactOptional.ts
import * as Schema from "effect/Schema";
var exactOptional = (schema) => Schema.optionalWith(schema, { exact: true });

// src/session/Message.ts
var Source = Schema2.Union(
  Schema2.Struct({ type: Schema2.Literal("url"), url: Schema2.NonEmptyString }),
  Schema2.Struct({ type: Schema2.Literal("blob"), blob: Schema2.NonEmptyString }),
  Schema2.Struct({ type: Schema2.Literal("base64"), base64: Schema2.String })
);
var TextBlock = Schema2.Struct({ type: Schema2.Literal("text"), text: Schema2.String });
var ReasoningBlock = Schema2.Struct({
  type: Schema2.Literal("reasoning"),
  text: Schema2.String,
  signature: exactOptional(Schema2.String),
  redacted: exactOptional(Schema2.String)
});
var ToolCallBlock = Schema2.Struct({
  type: Schema2.Literal("tool-call"),
  id: Schema2.NonEmptyString,
  name: Schema2.String,
  arguments: Schema2.Unknown
});
var ImageBlock = Schema2.Struct({
  type: Schema2.Literal("image"),
  source: Source,
  mediaType: exactOptional(Schema2.String),
  width: exactOptional(Schema2.Positive),
  height: exactOptional(Schema2.Positive)
});
var FileBlock = Schema2.Struct({
  type: Schema2.Literal("file"),
  source: Source,
  mediaType: exactOptional(Schema2.String),
  name: exactOptional(Schema2.String),
  pages: exactOptional(Schema2.Positive)
});
var UnknownBlock = Schema2.Struct({ type: Schema2.Literal("unknown"), value: Schema2.Unknown });
var ResultBlock = Schema2.Union(TextBlock, ImageBlock, FileBlock, UnknownBlock);
var ToolResultBlock = Schema2.Struct({
  type: Schema2.Literal("tool-result"),
  id: Schema2.NonEmptyString,
  name: Schema2.String,
  content: Schema2.Array(ResultBlock),
  isError: exactOptional(Schema2.Boolean)
});
var Block = Schema2.Union(
  TextBlock,
  ReasoningBlock,
  ToolCallBlock,
  ToolResultBlock,
  ImageBlock,
  FileBlock,
  UnknownBlock
);
var Message = Schema2.Struct({
  role: Schema2.Literal("user", "assistant", "tool"),
  content: Schema2.Array(Block),
  metadata: exactOptional(Schema2.Record({ key: Schema2.String, value: Schema2.Unknown }))
});
var textBlock = (text4) => ({ type: "text", text: text4 });
var blocks = (content3) => typeof content3 === "string" ? [textBlock(content3)] : content3;
var user = (content3) => ({ role: "user", content: blocks(content3) });
var assistant = (content3) => ({
  role: "assistant",
  content: blocks(content3)
});
var toolCall = (id, name, args) => ({
  type: "tool-call",
  id,
  name,
  arguments: args
});
var toolResult = (result) => ({
  role: "tool",
  content: [
    {
      type: "tool-result",
      id: result.id,
      name: result.name,
      content: blocks(result.content),
      ...result.isError === true ? { isError: true } : {}
    }
  ]
});
var toolCalls = (message) => message.content.filter((block5) => block5.type === "tool-call");
var toolResults = (message) => message.content.filter((block5) => block5.type === "tool-result");
var isEmpty = (message) => message.content.every((block5) => block5.type === "text" && block5.text === "");

// src/compaction/CharacterClasses.ts
var weights = {
  /** a word, or a part of one that starts with a capital (`getName` has two) */
  word: 0.95,
  /** each of its letters behind the 4th, and in addition each behind the 9th */
  letterBehind4: 0.04,
  letterBehind9: 0.35,
  /** each capital that does not start a part: acronyms and constants */
  capital: 0.02,
  /** each letter with an accent */
  accent: 0.95,
  /** three digits, by rule: o200k cuts numbers into threes */
  threeDigits: 1,
  /** each character of an unbroken run that changes between letters, capitals and digits too often to be a word */
  blob: 0.67,
  /** a run of punctuation; more if no letter follows that it could merge with */
  punctuation: 0.7,
  punctuationAlone: 0.15,
  /** each further character of the run, if it is another one, and if it is the same again */
  punctuationChange: 0.27,
  punctuationRepeat: 0.15,
  /** one space merges with what follows, by rule, except before a digit and before other scripts */
  spaceAlone: 0.6,
  /** two and more, and each further one */
  spaces: 0.95,
  furtherSpace: 0.02,
  /** line breaks in a row; they merge with punctuation before them */
  lineBreak: 1.2,
  lineBreakBehindPunctuation: 0.3,
  furtherLineBreak: 0.02,
  /** control characters, by eye */
  control: 1,
  /** Cyrillic and Greek words, and each letter behind the first */
  alphabetWord: 0.5,
  alphabetLetter: 0.135,
  /** Arabic and Hebrew words, and each letter behind the first, by eye */
  semiticWord: 0.9,
  semiticLetter: 0.35,
  /** each character of the scripts of India and South-East Asia, by eye */
  indic: 0.6,
  /** each character of these */
  han: 0.75,
  kana: 0.63,
  hangul: 0.56,
  /** full-width and CJK punctuation, dashes, quotes, arrows, box drawing */
  symbol: 0.57,
  /** each half of a surrogate pair: emoji and rare characters */
  surrogate: 0.95,
  /** all other characters, by eye */
  other: 1.5
};
var kinds = {
  control: 0,
  lower: 1,
  upper: 2,
  accented: 3,
  digit: 4,
  space: 5,
  lineBreak: 6,
  punctuation: 7,
  alphabet: 8,
  semitic: 9,
  indic: 10,
  han: 11,
  kana: 12,
  hangul: 13,
  symbol: 14,
  surrogate: 15,
  other: 16
};
var kindOfAscii = (code) => {
  if (code >= 97 && code <= 122) return kinds.lower;
  if (code >= 65 && code <= 90) return kinds.upper;
  if (code >= 48 && code <= 57) return kinds.digit;
  if (code === 32 || code === 9) return kinds.space;
  if (code === 10 || code === 13) return kinds.lineBreak;
  return code < 32 || code === 127 ? kinds.control : kinds.punctuation;
};
var ranges = [
  [192, kinds.symbol],
  [880, kinds.accented],
  [1328, kinds.alphabet],
  [1920, kinds.semitic],
  [2304, kinds.other],
  [4352, kinds.indic],
  [4608, kinds.hangul],
  [6016, kinds.other],
  [6144, kinds.indic],
  [7680, kinds.other],
  [7936, kinds.accented],
  [8192, kinds.alphabet],
  [11904, kinds.symbol],
  [12288, kinds.han],
  [12352, kinds.symbol],
  [12544, kinds.kana],
  [13312, kinds.symbol],
  [40960, kinds.han],
  [44032, kinds.other],
  [55296, kinds.hangul],
  [57344, kinds.surrogate],
  [63744, kinds.other],
  [64256, kinds.han],
  [65024, kinds.semitic],
  [65280, kinds.symbol],
  [65536, kinds.symbol]
];
var table = Uint8Array.from(
  { length: 65536 },
  (_, code) => code < 128 ? kindOfAscii(code) : ranges.find(([end]) => code < end)?.[1] ?? kinds.other
);
var kindOf = (code) => table[code];
var isWordKind = (kind) => kind >= kinds.lower && kind <= kinds.digit;
var shortestBlob = 16;
var changesOfBlob = 5;
var priceOfLetters = (letters) => letters === 0 ? 0 : weights.word + Math.max(0, letters - 4) * weights.letterBehind4 + Math.max(0, letters - 9) * weights.letterBehind9;
var endOfRun = (text4, start, kind) => {
  let i = start + 1;
  if (isWordKind(kind)) while (i < text4.length && isWordKind(kindOf(text4.charCodeAt(i)))) i++;
  else while (i < text4.length && kindOf(text4.charCodeAt(i)) === kind) i++;
  return i;
};
var priceOfWord = (text4, start, end) => {
  let done = 0;
  let letters = 0;
  let digits = 0;
  let changes = 0;
  let blob = 0;
  let before = kinds.control;
  for (let i = start; i < end; i++) {
    const kind = kindOf(text4.charCodeAt(i));
    const startsPart = kind === kinds.digit !== (before === kinds.digit) || kind === kinds.upper && before !== kinds.upper;
    if (startsPart && i > start) {
      changes++;
      done += priceOfLetters(letters) + Math.ceil(digits / 3) * weights.threeDigits;
      letters = 0;
      digits = 0;
    }
    if (kind === kinds.digit) digits++;
    else letters++;
    if (kind === kinds.accented) done += weights.accent;
    else if (kind === kinds.upper && before === kinds.upper) done += weights.capital;
    const length = i - start + 1;
    if (length >= shortestBlob && changes * changesOfBlob >= length) blob = length * weights.blob;
    before = kind;
  }
  return Math.max(blob, done + priceOfLetters(letters) + Math.ceil(digits / 3) * weights.threeDigits);
};
var priceOfPunctuation = (text4, start, end) => {
  let tokens3 = weights.punctuation;
  for (let i = start + 1; i < end; i++) {
    tokens3 += text4.charCodeAt(i) === text4.charCodeAt(i - 1) ? weights.punctuationRepeat : weights.punctuationChange;
  }
  const merges = end === text4.length || isWordKind(kindOf(text4.charCodeAt(end)));
  return merges ? tokens3 : tokens3 + weights.punctuationAlone;
};
var priceOfSpaces = (text4, start, end) => {
  if (end - start > 1) return weights.spaces + (end - start - 2) * weights.furtherSpace;
  if (end === text4.length) return 0;
  const next = kindOf(text4.charCodeAt(end));
  return next === kinds.digit || next > kinds.punctuation ? weights.spaceAlone : 0;
};
var priceOfRun = (text4, start, end, kind, before) => {
  const length = end - start;
  switch (kind) {
    case kinds.space:
      return priceOfSpaces(text4, start, end);
    case kinds.lineBreak:
      return (before === kinds.punctuation ? weights.lineBreakBehindPunctuation : weights.lineBreak) + (length - 1) * weights.furtherLineBreak;
    case kinds.punctuation:
      return priceOfPunctuation(text4, start, end);
    case kinds.control:
      return length * weights.control;
    case kinds.alphabet:
      return weights.alphabetWord + (length - 1) * weights.alphabetLetter;
    case kinds.semitic:
      return weights.semiticWord + (length - 1) * weights.semiticLetter;
    case kinds.indic:
      return length * weights.indic;
    case kinds.han:
      return length * weights.han;
    case kinds.kana:
      return length * weights.kana;
    case kinds.hangul:
      return length * weights.hangul;
    case kinds.symbol:
      return length * weights.symbol;
    case kinds.surrogate:
      return length * weights.surrogate;
    case kinds.other:
      return length * weights.other;
    default:
      return priceOfWord(text4, start, end);
  }
};
var utf8Length = (text4) => {
  let bytes = 0;
  for (let i = 0; i < text4.length; i++) {
    const code = text4.charCodeAt(i);
    const endsPair = (code & 64512) === 56320 && (text4.charCodeAt(i - 1) & 64512) === 55296;
    bytes += code < 128 || endsPair ? 1 : code < 2048 ? 2 : 3;
  }
  return bytes;
};
var countText = (text4) => {
  let tokens3 = 0;
  let before = kinds.control;
  for (let start = 0; start < text4.length; ) {
    const kind = kindOf(text4.charCodeAt(start));
    const end = endOfRun(text4, start, kind);
    tokens3 += priceOfRun(text4, start, end, kind, before);
    before = kind;
    start = end;
  }
  if (tokens3 === 0 && text4 !== "") return 1;
  const whole2 = Math.ceil(tokens3);
  return whole2 <= text4.length ? whole2 : Math.min(whole2, utf8Length(text4));
};

// src/compaction/ClassEstimator.ts
var framing = {
  message: 4,
  request: 3,
  toolCall: 4,
  toolResult: 4,
  tool: 8,
  pixelsPerToken: 750,
  image: 1600,
  page: 1500,
  unknown: 4096
};
var json = (value) => {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
};
var isTextual = (mediaType) => mediaType !== void 0 && /^(text\/|application\/(json|xml|yaml)\b)/i.test(mediaType);
var inlineText = (file2) => {
  if (file2.source.type !== "base64" || !isTextual(file2.mediaType)) return void 0;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(file2.source.base64), (character) => character.charCodeAt(0)));
  } catch {
    return void 0;
  }
};
var priceOfImage = ({ height, width }) => height === void 0 || width === void 0 ? framing.image : Math.min(framing.image, Math.ceil(width * height / framing.pixelsPerToken));
var priceOfFile = (file2) => {
  const text4 = file2.pages === void 0 ? inlineText(file2) : void 0;
  return text4 === void 0 ? Math.ceil(file2.pages ?? 1) * framing.page : framing.message + countText(text4);
};
var priceOfBlock = (block5) => {
  switch (block5.type) {
    case "text":
      return countText(block5.text);
    case "reasoning":
      return countText(block5.text) + Math.ceil((block5.redacted?.length ?? 0) * 3 / 16);
    case "tool-call":
      return framing.toolCall + countText(block5.name) + countText(typeof block5.arguments === "string" ? block5.arguments : json(block5.arguments));
    case "tool-result":
      return block5.content.reduce((sum2, part3) => sum2 + priceOfBlock(part3), framing.toolResult);
    case "image":
      return priceOfImage(block5);
    case "file":
      return priceOfFile(block5);
    case "unknown":
      return Math.min(framing.unknown, countText(json(block5.value)));
  }
};
var priceOfMessage = (message) => message.role === "assistant" && isEmpty(message) ? 0 : message.content.reduce((sum2, block5) => sum2 + priceOfBlock(block5), framing.message);
var priceableTool = (tool2) => {
  try {
    return encode(tool2);
  } catch {
    return "";
  }
};
var priceOfEnvelope = (envelope) => {
  let tokens3 = framing.request;
  if (envelope.system !== void 0 && envelope.system !== "") tokens3 += framing.message + countText(envelope.system);
  for (const tool2 of envelope.tools ?? []) tokens3 += framing.tool + countText(priceableTool(tool2));
  for (const message of envelope.prefix ?? []) tokens3 += priceOfMessage(message);
  return tokens3;
};
var classEstimator = {
  id: "character-classes/1",
  dimensions: 1,
  message: (message) => [priceOfMessage(message)],
  envelope: (envelope) => [priceOfEnvelope(envelope)],
  weights: () => [1]
};

// src/cli/meterInput.ts
import * as FileSystem from "@effect/platform/FileSystem";
import * as Path from "@effect/platform/Path";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Either15 from "effect/Either";

// src/formats/Formats.ts
import * as Either14 from "effect/Either";

// src/errors/FormatError.ts
import * as Schema3 from "effect/Schema";
var TranscriptInvalidReason = Schema3.Literal(
  "empty",
  "not-json",
  "unknown-shape",
  "unknown-format",
  "newer-version",
  "broken-line",
  "no-messages"
);
var TranscriptInvalid = class extends Schema3.TaggedError(
  "effect-compaction/errors/TranscriptInvalid"
)("TranscriptInvalid", {
  reason: TranscriptInvalidReason,
  detail: Schema3.String,
  line: exactOptional(Schema3.Int),
  path: exactOptional(Schema3.Array(Schema3.String))
}) {
  get message() {
    const place2 = [
      ...this.line === void 0 ? [] : [`line ${this.line}`],
      ...this.path === void 0 || this.path.length === 0 ? [] : [`at ${this.path.join(".")}`]
    ];
    return `this is not a readable transcript${place2.length === 0 ? "" : ` (${place2.join(", ")})`}: ${this.detail}`;
  }
};

// src/formats/Format.ts
import * as Either from "effect/Either";
var isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
var parseJson = (text4) => Either.try(() => JSON.parse(text4));
var syntaxError = (text4, error) => {
  const said = error instanceof Error ? error.message : String(error);
  const position = /position (\d+)/u.exec(said)?.[1];
  const line = position === void 0 ? void 0 : text4.slice(0, Number(position)).split("\n").length;
  return new TranscriptInvalid({
    reason: "not-json",
    detail: `it is not JSON (${said})`,
    ...line === void 0 ? {} : { line }
  });
};
var linesLookedAt = 20;
var input = (raw, name) => {
  const text4 = raw.startsWith("\uFEFF") ? raw.slice(1) : raw;
  let json3;
  let lines2;
  const parsedLines = () => {
    if (lines2 !== void 0) return lines2;
    const found = [];
    for (let start = 0; start < text4.length && found.length < linesLookedAt; ) {
      const end = text4.indexOf("\n", start);
      const line = text4.slice(start, end === -1 ? void 0 : end);
      if (line.trim() !== "") found.push(parseJson(line));
      start = end === -1 ? text4.length : end + 1;
    }
    return lines2 = found;
  };
  return {
    ...name === void 0 ? {} : { name },
    folder: [],
    text: text4,
    json: () => json3 ??= Either.mapLeft(parseJson(text4), (error) => syntaxError(text4, error)),
    firstLine: () => {
      const [first] = parsedLines();
      return first === void 0 ? void 0 : Either.getOrUndefined(first);
    },
    firstLines: () => parsedLines().flatMap((line) => Either.isRight(line) ? [line.right] : [])
  };
};
var byName = new Intl.Collator("en", { numeric: true });
var folder = (files) => {
  const inputs = files.toSorted((a, b) => byName.compare(a.name, b.name)).map((file2) => input(file2.text, file2.name));
  const [first] = inputs;
  return first === void 0 ? void 0 : inputs.length === 1 ? first : { ...first, folder: inputs };
};
var noMessages = (detail = "it holds no messages") => new TranscriptInvalid({ reason: "no-messages", detail });

// src/formats/internal/jsonLines.ts
import * as Either2 from "effect/Either";
var objectsOf = (line) => {
  const found = [];
  let depth = 0;
  let start = 0;
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const unit = line[i];
    if (quoted) {
      if (unit === "\\") i++;
      else if (unit === '"') quoted = false;
    } else if (unit === '"') quoted = true;
    else if (unit === "{") {
      if (depth++ === 0) start = i;
    } else if (unit === "}" && --depth === 0) found.push(line.slice(start, i + 1));
  }
  return found;
};
var lineOf = (text4, number) => {
  const whole2 = parseJson(text4);
  if (Either2.isRight(whole2)) return { number, values: [whole2.right] };
  const values = objectsOf(text4).flatMap((part3) => {
    const value = parseJson(part3);
    return Either2.isRight(value) ? [value.right] : [];
  });
  return { number, values, odd: values.length > 1 ? `${values.length} records stand on one line` : "it is not JSON" };
};
function* lines(text4) {
  let number = 0;
  for (let start = 0; start < text4.length; ) {
    const found = text4.indexOf("\n", start);
    const end = found === -1 ? text4.length : found;
    number++;
    const line = text4.slice(start, end);
    if (line.trim() !== "") yield lineOf(line, number);
    start = end + 1;
  }
}

// src/formats/internal/outcome.ts
import * as Arr from "effect/Array";
import * as Either3 from "effect/Either";

// src/formats/Pairs.ts
var missingResult = "no result was recorded";
var isCall = (block5) => block5.type === "tool-call";
var isResult = (block5) => block5.type === "tool-result";
var freeId = (state, base) => {
  let count2 = 2;
  while (state.ids.has(`${base}_${count2}`)) count2++;
  const id = `${base}_${count2}`;
  state.ids.add(id);
  return id;
};
var push = (state, index, message) => {
  const entry = { message, index, slots: [], highestAnswered: -1 };
  state.entries.push(entry);
  return entry;
};
var withContent = (message, content3) => content3 === message.content ? message : { ...message, content: content3 };
var slotFor = (state, result) => {
  const waiting = state.openSlots.get(result.id) ?? [];
  const newest = waiting.at(-1) ?? state.openSlots.get("")?.at(-1);
  if (newest !== void 0) {
    return newest.entry.slots.find((slot) => slot.result === void 0 && slot.recordedId === newest.recordedId);
  }
  if (result.id !== "") return void 0;
  const entry = state.slots.findLast((slot) => slot.result === void 0)?.entry;
  const open = entry?.slots.filter((slot) => slot.result === void 0) ?? [];
  return open.find((slot) => slot.call.name === result.name) ?? open[0];
};
var answer = (state, index, slot, result, from) => {
  const { call: call2, entry } = slot;
  const unchanged = result.id === call2.id && result.name !== "" && from.role === "tool" && from.content.length === 1;
  slot.result = unchanged ? from : {
    ...from,
    role: "tool",
    content: [{ ...result, id: call2.id, name: result.name === "" ? call2.name : result.name }]
  };
  const waiting = state.openSlots.get(slot.recordedId) ?? [];
  waiting.splice(waiting.indexOf(slot), 1);
  if (waiting.length === 0) state.openSlots.delete(slot.recordedId);
  state.answered.set(result.id, slot);
  if (result.id === "") state.note(index, `a result of "${call2.name}" has no id; it was paired by its place`);
  if (entry !== state.entries.at(-1)) {
    state.note(index, `the result of call "${call2.id}" stood apart from its call and was moved up to it`);
  } else if (slot.place < entry.highestAnswered) {
    state.note(index, `the result of call "${call2.id}" came after that of a later call; it was put in call order`);
  }
  entry.highestAnswered = Math.max(entry.highestAnswered, slot.place);
};
var keepAsText = (state, index, result, from, why) => {
  const name = result.name === "" ? "an unnamed tool" : result.name;
  const heading = textBlock(`[${why}: ${name}${result.id === "" ? "" : `, ${result.id}`}]
`);
  push(state, index, { ...from, role: "user", content: [heading, ...result.content] });
};
var takeResult = (state, index, result, from) => {
  const slot = slotFor(state, result);
  if (slot !== void 0) return answer(state, index, slot, result, from);
  const earlier = state.answered.get(result.id)?.result;
  if (earlier === void 0) {
    state.note(index, `the result "${result.id}" has no call before it and was kept as the user's text`);
    return keepAsText(state, index, result, from, "result of a tool call that is not in this transcript");
  }
  const [first] = toolResults(earlier);
  if (JSON.stringify(first?.content) === JSON.stringify(result.content)) {
    return state.note(index, `the result of call "${result.id}" stands there twice; the second one was left out`);
  }
  state.note(index, `call "${result.id}" has a second, different result, which was kept as the user's text`);
  keepAsText(state, index, result, from, "second result of a tool call");
};
var identified = (state, index, call2) => {
  if (call2.id !== "" && !state.usedIds.has(call2.id)) {
    state.usedIds.add(call2.id);
    return call2;
  }
  const id = freeId(state, call2.id === "" ? "call" : call2.id);
  state.usedIds.add(id);
  state.note(
    index,
    call2.id === "" ? `a call of "${call2.name}" has no id; it was named "${id}"` : `the call id "${call2.id}" is used again; this call was named "${id}"`
  );
  return { ...call2, id };
};
var takeAssistant = (state, index, message) => {
  const recordedIds = [];
  let changed = false;
  const content3 = message.content.filter((block5) => !isResult(block5)).map((block5) => {
    if (!isCall(block5)) return block5;
    const call2 = identified(state, index, block5);
    changed ||= call2 !== block5;
    recordedIds.push(block5.id);
    return call2;
  });
  const same = !changed && content3.length === message.content.length;
  const entry = push(state, index, withContent(message, same ? message.content : content3));
  for (const [place2, call2] of toolCalls(entry.message).entries()) {
    const recordedId = recordedIds[place2] ?? call2.id;
    const slot = { call: call2, recordedId, entry, place: place2 };
    entry.slots.push(slot);
    state.slots.push(slot);
    const waiting = state.openSlots.get(recordedId);
    if (waiting === void 0) state.openSlots.set(recordedId, [slot]);
    else waiting.push(slot);
  }
};
var callAsText = (call2) => textBlock(`[tool call ${call2.id}: ${call2.name}(${JSON.stringify(call2.arguments) ?? ""})]`);
var takeWords = (state, index, message) => {
  const words = message.content.filter((block5) => !isResult(block5));
  const called = words.some(isCall);
  if (called) state.note(index, "a tool call that is not the assistant's was kept as text");
  if (message.role === "tool")
    state.note(index, "a tool message holds more than results; that was kept as the user's text");
  const same = message.role === "user" && words.length === message.content.length && !called;
  push(
    state,
    index,
    same ? message : { ...message, role: "user", content: words.map((block5) => isCall(block5) ? callAsText(block5) : block5) }
  );
};
var take = (state, index, message) => {
  if (isEmpty(message)) return state.note(index, `an empty ${message.role} message was left out`);
  const words = { ...message, content: message.content.filter((block5) => !isResult(block5)) };
  const speaks = !isEmpty(words);
  if (speaks && message.role === "assistant") takeAssistant(state, index, message);
  for (const result of toolResults(message)) takeResult(state, index, result, message);
  if (speaks && message.role !== "assistant") takeWords(state, index, message);
};
var resultsOf = (state, entry) => entry.slots.map(({ call: call2, result }) => {
  if (result !== void 0) return result;
  state.note(entry.index, `call "${call2.id}" of "${call2.name}" has no result; an error result was put in`);
  return toolResult({ id: call2.id, name: call2.name, content: missingResult, isError: true });
});
var repairPairs = (messages2, where2 = (index) => `message ${index + 1}`) => {
  const notes = [];
  const state = {
    entries: [],
    slots: [],
    openSlots: /* @__PURE__ */ new Map(),
    answered: /* @__PURE__ */ new Map(),
    ids: new Set(messages2.flatMap((message) => toolCalls(message).map((call2) => call2.id))),
    usedIds: /* @__PURE__ */ new Set(),
    note: (index, text4) => void notes.push({ index, text: `${where2(index)}: ${text4}` })
  };
  for (const [index, message] of messages2.entries()) take(state, index, message);
  const repaired = [];
  const starts = [];
  for (const entry of state.entries) {
    while (starts.length <= entry.index) starts.push(repaired.length);
    repaired.push(entry.message, ...resultsOf(state, entry));
  }
  return {
    messages: repaired,
    notes: notes.sort((a, b) => a.index - b.index).map((note) => note.text),
    placeOf: (index) => starts[index] ?? repaired.length
  };
};

// src/formats/History.ts
var lastSeen = (session2) => {
  const compaction = session2.compactions.at(-1);
  if (compaction === void 0) return session2;
  const { head, keptFrom } = compaction;
  const { messages: messages2, notes, placeOf: placeOf2 } = repairPairs([...head, ...session2.messages.slice(keptFrom)]);
  return {
    ...session2,
    messages: messages2,
    requests: session2.requests.filter(({ at }) => at >= compaction.at).map((request2) => ({ ...request2, at: placeOf2(request2.at - keptFrom + head.length) })),
    compactions: [],
    notes: [...session2.notes, ...notes]
  };
};

// src/formats/Transcript.ts
import * as Schema8 from "effect/Schema";

// src/session/Envelope.ts
import * as Schema5 from "effect/Schema";

// src/session/Route.ts
import * as Schema4 from "effect/Schema";
var Route = Schema4.Struct({ provider: Schema4.NonEmptyString, model: Schema4.NonEmptyString });
var equals = (a, b) => a.provider === b.provider && a.model === b.model;
var key = (route) => `${route.provider.length}:${route.provider}/${route.model}`;
var format = (route) => `${route.provider}/${route.model}`;

// src/session/Envelope.ts
var ToolSchema = Schema5.Struct({
  name: Schema5.NonEmptyString,
  description: exactOptional(Schema5.String),
  parameters: Schema5.Unknown
});
var Envelope = Schema5.Struct({
  route: Route,
  system: exactOptional(Schema5.String),
  tools: exactOptional(Schema5.Array(ToolSchema)),
  maxOutputTokens: exactOptional(Schema5.Int.pipe(Schema5.positive())),
  settings: exactOptional(Schema5.Record({ key: Schema5.String, value: Schema5.Unknown })),
  prefix: exactOptional(Schema5.Array(Message))
});
var key2 = (envelope) => encode(envelope);

// src/session/Ids.ts
import * as Schema6 from "effect/Schema";
var SessionId = Schema6.String.pipe(
  // eslint-disable-next-line no-control-regex
  Schema6.pattern(/^[^\u0000-\u001f\u007f]{1,200}$/u, {
    message: () => "a session id is 1 to 200 characters long and holds no control characters"
  })
);
var Seq = Schema6.NonNegativeInt;

// src/session/Usage.ts
import * as Schema7 from "effect/Schema";
var Usage = Schema7.Struct({
  inputTokens: Schema7.NonNegativeInt,
  outputTokens: Schema7.NonNegativeInt,
  cachedTokens: exactOptional(Schema7.NonNegativeInt),
  cacheWriteTokens: exactOptional(Schema7.NonNegativeInt),
  reasoningTokens: exactOptional(Schema7.NonNegativeInt)
});
var isReported = (usage2) => usage2 !== void 0 && usage2.inputTokens > 0;
var zero = { inputTokens: 0, outputTokens: 0 };
var add = (a, b) => {
  const sum2 = (x, y) => x === void 0 && y === void 0 ? void 0 : (x ?? 0) + (y ?? 0);
  const cachedTokens = sum2(a.cachedTokens, b.cachedTokens);
  const cacheWriteTokens = sum2(a.cacheWriteTokens, b.cacheWriteTokens);
  const reasoningTokens = sum2(a.reasoningTokens, b.reasoningTokens);
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...cachedTokens === void 0 ? {} : { cachedTokens },
    ...cacheWriteTokens === void 0 ? {} : { cacheWriteTokens },
    ...reasoningTokens === void 0 ? {} : { reasoningTokens }
  };
};

// src/formats/Transcript.ts
var Request = Schema8.Struct({
  at: Schema8.NonNegativeInt,
  place: Schema8.String,
  provider: exactOptional(Schema8.NonEmptyString),
  model: exactOptional(Schema8.NonEmptyString),
  system: exactOptional(Schema8.String),
  tools: exactOptional(Schema8.Array(ToolSchema)),
  usage: Usage,
  counted: Schema8.Literal("provider", "relay")
});
var Compaction = Schema8.Struct({
  at: Schema8.NonNegativeInt,
  head: Schema8.Array(Message),
  keptFrom: Schema8.NonNegativeInt
});
var Visible = Schema8.Literal("full", "no-tool-schemas", "messages");
var Session = Schema8.Struct({
  id: SessionId,
  system: exactOptional(Schema8.String),
  tools: exactOptional(Schema8.Array(ToolSchema)),
  messages: Schema8.Array(Message),
  requests: Schema8.Array(Request),
  compactions: Schema8.Array(Compaction),
  visible: exactOptional(Visible),
  notes: Schema8.Array(Schema8.String)
});
var Transcript = Schema8.Struct({ format: Schema8.String, sessions: Schema8.NonEmptyArray(Session) });
var uniqueIds = (names) => {
  const taken = /* @__PURE__ */ new Set();
  return names.map((name) => {
    const base = [...name.replace(/\p{Cc}/gu, " ").trim()].slice(0, 80).join("") || "session";
    let id = base;
    for (let count2 = 2; taken.has(id); count2++) id = `${base}-${count2}`;
    taken.add(id);
    return id;
  });
};

// src/formats/internal/Recording.ts
var make = () => ({
  messages: [],
  requests: [],
  compactions: [],
  notes: [],
  counted: /* @__PURE__ */ new Map()
});
var say = (recording, message, place2) => recording.messages.push({ message, place: place2 }) - 1;
var count = (recording, sentence) => void recording.counted.set(sentence, (recording.counted.get(sentence) ?? 0) + 1);
var request = (recording, usage2, where2) => {
  if (usage2 === void 0) return;
  const { at, counted = "provider", model, place: place2, provider } = where2;
  recording.requests.push({
    at,
    place: place2,
    usage: usage2,
    counted,
    ...recording.system === void 0 ? {} : { system: recording.system },
    ...recording.tools === void 0 ? {} : { tools: recording.tools },
    ...provider === void 0 ? {} : { provider },
    ...model === void 0 ? {} : { model }
  });
};
var compacted = (recording, head, keptFrom = recording.messages.length) => void recording.compactions.push({ at: recording.messages.length, head, keptFrom });
var withoutOwn = (recording, { system: system2, tools, ...request2 }) => ({
  ...request2,
  ...system2 === void 0 || system2 === recording.system ? {} : { system: system2 },
  ...tools === void 0 || tools === recording.tools ? {} : { tools }
});
var session = (recording, id, visible) => {
  const { messages: messages2, notes, placeOf: placeOf2 } = repairPairs(
    recording.messages.map(({ message }) => message),
    (index) => recording.messages[index]?.place ?? `message ${index + 1}`
  );
  const { system: system2, tools } = recording;
  return {
    id,
    ...system2 === void 0 ? {} : { system: system2 },
    ...tools === void 0 ? {} : { tools },
    messages: messages2,
    requests: recording.requests.map((each) => ({ ...withoutOwn(recording, each), at: placeOf2(each.at) })),
    compactions: recording.compactions.map(({ at, head, keptFrom }) => ({
      at: placeOf2(at),
      head,
      keptFrom: placeOf2(keptFrom)
    })),
    ...recording.requests.length === 0 ? {} : { visible },
    notes: [...recording.notes, ...[...recording.counted].map(([sentence, times]) => `${times} ${sentence}`), ...notes]
  };
};

// src/formats/internal/outcome.ts
var transcript = (format12, recorded, options = {}) => {
  const ids = uniqueIds(recorded.map(({ id }) => id));
  const sessions = recorded.map(({ id, recording, visible }, index) => {
    const session2 = session(recording, ids[index] ?? id, visible);
    return options.history === "last-seen" ? lastSeen(session2) : session2;
  });
  return Arr.isNonEmptyReadonlyArray(sessions) && sessions.some(({ messages: messages2 }) => messages2.length > 0) ? Either3.right({ format: format12, sessions }) : Either3.left(noMessages());
};

// src/formats/internal/values.ts
import * as Either4 from "effect/Either";
var none = {};
var fields = (value) => isRecord(value) ? value : none;
var list = (value) => Array.isArray(value) ? value : [];
var text = (value) => typeof value === "string" ? value : "";
var nonEmpty = (value) => typeof value === "string" && value !== "" ? value : void 0;
var tokens = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : void 0;
var parsed = (value) => typeof value === "string" ? Either4.getOrElse(parseJson(value), () => value) : value;
var json2 = (value) => typeof value === "string" ? value : JSON.stringify(value) ?? "";
var reasoning = (shown2, more = {}) => ({ type: "reasoning", text: shown2, ...more });
var textBlocks = (value) => typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : [];
var inlineImage = (base64, mediaType) => ({
  type: "image",
  source: { type: "base64", base64: text(base64) },
  ...typeof mediaType === "string" ? { mediaType } : {}
});
var usage = (counted) => {
  const cachedTokens = tokens(counted.cached);
  const cacheWriteTokens = tokens(counted.cacheWrite);
  const reasoningTokens = tokens(counted.reasoning);
  const uncached = tokens(counted.uncached);
  const inputTokens = tokens(counted.input) ?? (uncached === void 0 ? void 0 : uncached + (cachedTokens ?? 0) + (cacheWriteTokens ?? 0));
  if (inputTokens === void 0 || inputTokens === 0) return void 0;
  return {
    inputTokens,
    outputTokens: tokens(counted.output) ?? 0,
    ...cachedTokens === void 0 ? {} : { cachedTokens },
    ...cacheWriteTokens === void 0 ? {} : { cacheWriteTokens },
    ...reasoningTokens === void 0 ? {} : { reasoningTokens }
  };
};
var chatUsage = (value) => {
  const counted = fields(value);
  return usage({
    input: counted["prompt_tokens"],
    output: counted["completion_tokens"],
    cached: fields(counted["prompt_tokens_details"])["cached_tokens"],
    reasoning: fields(counted["completion_tokens_details"])["reasoning_tokens"]
  });
};

// src/formats/ClaudeCode.ts
var media = (part3) => {
  const source = fields(part3["source"]);
  const url = nonEmpty(source["url"]);
  if (source["type"] === "base64" && part3["type"] === "image") return inlineImage(source["data"], source["media_type"]);
  if (source["type"] === "url" && url !== void 0 && part3["type"] === "image") {
    return { type: "image", source: { type: "url", url } };
  }
  return source["type"] === "base64" && part3["type"] === "document" ? { type: "file", source: { type: "base64", base64: text(source["data"]) }, mediaType: text(source["media_type"]) } : { type: "unknown", value: part3 };
};
var resultBlock = (value) => {
  const part3 = fields(value);
  return part3["type"] === "text" ? textBlock(text(part3["text"])) : media(part3);
};
var resultContent = (value) => typeof value === "string" ? textBlocks(value) : list(value).map(resultBlock);
var block = (value) => {
  const part3 = fields(value);
  switch (part3["type"]) {
    case "thinking": {
      const signature = nonEmpty(part3["signature"]);
      return reasoning(text(part3["thinking"]), signature === void 0 ? {} : { signature });
    }
    case "redacted_thinking":
      return reasoning("", { redacted: text(part3["data"]) });
    case "tool_use":
      return toolCall(text(part3["id"]), text(part3["name"]), part3["input"] ?? {});
    case "tool_result":
      return {
        type: "tool-result",
        id: text(part3["tool_use_id"]),
        name: "",
        content: resultContent(part3["content"]),
        ...part3["is_error"] === true ? { isError: true } : {}
      };
    default:
      return resultBlock(value);
  }
};
var content = (value) => typeof value === "string" ? textBlocks(value) : list(value).map(block);
var talk = () => ({ recording: make(), answers: /* @__PURE__ */ new Map() });
var synthetic = "<synthetic>";
var takeAnswer = ({ answers, recording }, said, place2) => {
  const id = text(said["id"]);
  const known = answers.get(id);
  const blocks2 = content(said["content"]);
  if (id !== "" && known !== void 0) {
    const answer3 = recording.messages[known];
    answer3.message = { ...answer3.message, content: [...answer3.message.content, ...blocks2] };
    return;
  }
  const at = say(recording, assistant(blocks2), place2);
  answers.set(id, at);
  if (said["model"] === synthetic) recording.notes.push(`${place2}: the tool itself wrote this answer, not the model`);
  const counted = fields(said["usage"]);
  request(
    recording,
    usage({
      uncached: counted["input_tokens"],
      output: counted["output_tokens"],
      cached: counted["cache_read_input_tokens"],
      cacheWrite: counted["cache_creation_input_tokens"]
    }),
    { at, place: place2, provider: "anthropic", model: nonEmpty(said["model"]) }
  );
};
var takeRecord = (to, record2, place2) => {
  const said = fields(record2["message"]);
  if (record2["type"] === "assistant") return takeAnswer(to, said, place2);
  const message = user(content(said["content"]));
  if (record2["isCompactSummary"] === true) compacted(to.recording, [message]);
  else say(to.recording, message, place2);
};
var bookkeeping = /* @__PURE__ */ new Set(["system", "file-history-snapshot", "queue-operation", "summary", "pr-link"]);
var decode = (input2, options) => {
  const main = talk();
  const agents = /* @__PURE__ */ new Map();
  let id = "session";
  const agent = (name) => {
    const known = agents.get(name) ?? talk();
    agents.set(name, known);
    return known;
  };
  const take3 = (record2, place2) => {
    const type = record2["type"];
    id = nonEmpty(record2["sessionId"]) ?? id;
    const data = fields(record2["data"]);
    if (type === "user" || type === "assistant") {
      return takeRecord(record2["isSidechain"] === true ? agent(text(record2["agentId"])) : main, record2, place2);
    }
    if (type === "progress") {
      if (data["type"] === "agent_progress") takeRecord(agent(text(data["agentId"])), fields(data["message"]), place2);
      return;
    }
    if (!bookkeeping.has(String(type))) {
      count(main.recording, `records of the unknown type ${JSON.stringify(type)} were left out`);
    }
  };
  for (const line of lines(input2.text)) {
    const place2 = `line ${line.number}`;
    if (line.odd !== void 0) main.recording.notes.push(`${place2}: ${line.odd}`);
    for (const value of line.values) take3(fields(value), place2);
  }
  const others = [...agents].map(([name, { recording }]) => ({
    recording,
    id: `agent-${name}`,
    visible: "messages"
  }));
  return transcript(format2.name, [{ recording: main.recording, id, visible: "messages" }, ...others], options);
};
var isOwn = (value) => isRecord(value) && typeof value["sessionId"] === "string" && typeof value["uuid"] === "string" && "parentUuid" in value && typeof value["type"] === "string";
var format2 = {
  name: "claude-code",
  description: 'a session log of Claude Code, lines {"type": "user", "uuid": \u2026, "parentUuid": \u2026, "sessionId": \u2026}',
  recognises: (input2) => input2.firstLines().some(isOwn),
  decode
};

// src/formats/CodexRollout.ts
var imageUrl = (url) => {
  const inline = /^data:([^;,]+);base64,/u.exec(url);
  return inline === null ? { type: "image", source: { type: "url", url } } : { type: "image", source: { type: "base64", base64: url.slice(inline[0].length) }, mediaType: inline[1] ?? "" };
};
var part = (value) => {
  const { image_url: image2, text: words, type } = fields(value);
  if (typeof words === "string") return textBlock(words);
  const url = nonEmpty(image2);
  return type === "input_image" && url !== void 0 ? imageUrl(url) : { type: "unknown", value };
};
var parts = (value) => typeof value === "string" ? [textBlock(value)] : list(value).map(part);
var thought = (item) => {
  const redacted = nonEmpty(item["encrypted_content"]);
  const shown2 = [...list(item["summary"]), ...list(item["content"])].map((each) => text(fields(each)["text"]));
  return reasoning(shown2.join("\n\n"), redacted === void 0 ? {} : { redacted });
};
var answerBlocks = (item) => {
  switch (item["type"]) {
    case "reasoning":
      return [thought(item)];
    case "function_call":
      return [toolCall(text(item["call_id"]), text(item["name"]), parsed(item["arguments"]) ?? {})];
    case "custom_tool_call":
      return [toolCall(text(item["call_id"]), text(item["name"]), item["input"] ?? "")];
    case "message":
      return item["role"] === "assistant" ? parts(item["content"]) : void 0;
    default:
      return void 0;
  }
};
var inputMessage = (item) => {
  switch (item["type"]) {
    case "message": {
      const message = user(parts(item["content"]));
      return item["role"] === "user" ? message : { ...message, metadata: { source: "context", role: item["role"] } };
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const { output } = item;
      const content3 = Array.isArray(output) ? parts(output) : [textBlock(json2(output))];
      return toolResult({ id: text(item["call_id"]), name: "", content: content3 });
    }
    default:
      return void 0;
  }
};
var takeItem = (rollout, item, place2) => {
  const { recording } = rollout;
  const blocks2 = answerBlocks(item);
  const newest = recording.messages.at(-1);
  if (blocks2 !== void 0) {
    if (rollout.answering && newest !== void 0) {
      const { message: message2 } = newest;
      newest.message = { ...message2, content: [...message2.content, ...blocks2] };
    } else rollout.answer = say(recording, assistant(blocks2), place2);
    rollout.answering = true;
    return;
  }
  const message = inputMessage(item);
  if (message === void 0) {
    return count(recording, `items of the unknown type ${JSON.stringify(item["type"])} were left out`);
  }
  rollout.answering = false;
  say(recording, message, place2);
};
var takeCount = (rollout, info, place2) => {
  const counted = fields(info["last_token_usage"]);
  const total = json2(info["total_token_usage"]);
  if (total === "" || total === rollout.total) return;
  rollout.total = total;
  const read2 = usage({
    input: counted["input_tokens"],
    output: counted["output_tokens"],
    cached: counted["cached_input_tokens"],
    reasoning: counted["reasoning_output_tokens"]
  });
  if (read2 === void 0) count(rollout.recording, "token counts are not readable");
  const { answer: answer3 = rollout.recording.messages.length, model, recording } = rollout;
  request(recording, read2, { at: answer3, place: place2, provider: "openai", model });
  rollout.answer = void 0;
  rollout.answering = false;
};
var takeCompacted = (rollout, payload) => {
  const replacement = list(payload["replacement_history"]).map((item) => inputMessage(fields(item)));
  const head = replacement.filter((message) => message !== void 0);
  compacted(rollout.recording, head.length > 0 ? head : [user(text(payload["message"]))]);
  rollout.answering = false;
};
var take2 = (rollout, record2, place2) => {
  const { recording } = rollout;
  const payload = fields(record2["payload"]);
  if (!("payload" in record2)) {
    if (record2["type"] !== void 0) takeItem(rollout, record2, place2);
    else rollout.id = nonEmpty(record2["id"]) ?? rollout.id;
    return;
  }
  switch (record2["type"]) {
    case "session_meta": {
      rollout.id = nonEmpty(payload["id"]) ?? rollout.id;
      const instructions = payload["base_instructions"];
      const system2 = nonEmpty(instructions) ?? nonEmpty(fields(instructions)["text"]);
      if (system2 !== void 0) recording.system = system2;
      return;
    }
    case "turn_context":
      rollout.model = nonEmpty(payload["model"]) ?? rollout.model;
      return;
    case "response_item":
      return takeItem(rollout, payload, place2);
    case "compacted":
      return takeCompacted(rollout, payload);
    case "event_msg":
      if (payload["type"] === "token_count") takeCount(rollout, fields(payload["info"]), place2);
      return;
    default:
      count(recording, `lines of the unknown type ${JSON.stringify(record2["type"])} were left out`);
  }
};
var decode2 = (input2, options) => {
  const recording = make();
  const rollout = {
    recording,
    id: "session",
    model: void 0,
    answer: void 0,
    answering: false,
    total: void 0
  };
  for (const line of lines(input2.text)) {
    const place2 = `line ${line.number}`;
    if (line.odd !== void 0) recording.notes.push(`${place2}: ${line.odd}`);
    for (const value of line.values) take2(rollout, fields(value), place2);
  }
  return transcript(format3.name, [{ recording, id: rollout.id, visible: "messages" }], options);
};
var enveloped = /* @__PURE__ */ new Set(["session_meta", "turn_context", "response_item", "event_msg", "compacted"]);
var isOwn2 = (value) => isRecord(value) && (enveloped.has(String(value["type"])) && "payload" in value || value["record_type"] === "state" || value["type"] === void 0 && "id" in value && "timestamp" in value && "instructions" in value);
var format3 = {
  name: "codex-rollout",
  description: 'a rollout of Codex, lines {"timestamp": \u2026, "type": "response_item", "payload": \u2026}',
  recognises: (input2) => input2.firstLines().some(isOwn2),
  decode: decode2
};

// src/formats/internal/chatDecode.ts
import * as Either5 from "effect/Either";

// src/formats/internal/chatParts.ts
var dataUrl = /^data:([^;,]*)(?:;[^,]*)?;base64,/u;
var unknownBlock = (value) => ({ type: "unknown", value });
var fromUrl = (url) => {
  const match2 = dataUrl.exec(url);
  if (match2 === null) return { source: { type: "url", url } };
  const mediaType = match2[1];
  return {
    source: { type: "base64", base64: url.slice(match2[0].length) },
    ...mediaType === void 0 || mediaType === "" ? {} : { mediaType }
  };
};
var image = (value) => {
  const url = typeof value === "string" ? value : isRecord(value) ? value["url"] : void 0;
  return typeof url === "string" && url !== "" ? { type: "image", ...fromUrl(url) } : void 0;
};
var file = (value) => {
  if (!isRecord(value)) return void 0;
  const { file_data: data, file_id: id, filename } = value;
  const name = typeof filename === "string" ? { name: filename } : {};
  if (typeof id === "string" && id !== "") return { type: "file", source: { type: "blob", blob: id }, ...name };
  if (typeof data !== "string") return void 0;
  return dataUrl.test(data) ? { type: "file", ...fromUrl(data), ...name } : { type: "file", source: { type: "base64", base64: data }, ...name };
};
var part2 = (value) => {
  if (typeof value === "string") return textBlock(value);
  if (!isRecord(value)) return textBlock(JSON.stringify(value));
  switch (value["type"]) {
    case "text":
      return typeof value["text"] === "string" ? textBlock(value["text"]) : unknownBlock(value);
    case "refusal":
      return typeof value["refusal"] === "string" ? textBlock(value["refusal"]) : unknownBlock(value);
    case "image_url":
      return image(value["image_url"]) ?? unknownBlock(value);
    case "file":
      return file(value["file"]) ?? unknownBlock(value);
    default:
      return unknownBlock(value);
  }
};
var says = (block5) => block5.type !== "text" || block5.text !== "";
var decodeContent = (content3) => {
  if (content3 === null || content3 === void 0) return [];
  return (Array.isArray(content3) ? content3 : [content3]).map(part2).filter(says);
};

// src/formats/internal/chatDecode.ts
var stringOr = (value, otherwise) => typeof value === "string" ? value : otherwise;
var callArguments = (value) => typeof value === "string" ? Either5.getOrElse(parseJson(value), () => value) : value ?? {};
var call = (value) => {
  if (!isRecord(value)) return void 0;
  const detail = value["function"] ?? value["custom"];
  if (!isRecord(detail) || typeof detail["name"] !== "string") return void 0;
  const given = "input" in detail ? detail["input"] : callArguments(detail["arguments"]);
  return toolCall(stringOr(value["id"], ""), detail["name"], given);
};
var where = (place2) => `message ${place2 + 1}`;
var assistant2 = (value, place2, notes) => {
  const reasoning2 = stringOr(value["reasoning_content"], stringOr(value["reasoning"], ""));
  const listed = Array.isArray(value["tool_calls"]) ? value["tool_calls"] : [];
  const legacy = isRecord(value["function_call"]) ? [{ id: "", function: value["function_call"] }] : [];
  const calls = [...listed, ...legacy].map(call).filter((block5) => block5 !== void 0);
  const unread = listed.length + legacy.length - calls.length;
  if (unread > 0) notes.push(`${where(place2)}: ${unread} tool calls without a name were left out`);
  return assistant([
    ...reasoning2 === "" ? [] : [{ type: "reasoning", text: reasoning2 }],
    ...decodeContent(value["content"]),
    ...decodeContent(value["refusal"]),
    ...calls
  ]);
};
var tool = (value) => toolResult({
  id: stringOr(value["tool_call_id"], ""),
  name: stringOr(value["name"], ""),
  content: decodeContent(value["content"]),
  isError: value["is_error"] === true
});
var system = (reading, value, place2) => {
  const blocks2 = decodeContent(value["content"]);
  const text4 = blocks2.flatMap((block5) => block5.type === "text" ? [block5.text] : []).join("\n\n");
  if (reading.messages.length > 0) {
    if (blocks2.length === 0) return void 0;
    reading.notes.push(`${where(place2)}: a system message in the middle was read as context in the user's role`);
    return { role: "user", content: blocks2, metadata: { source: "context", role: "system" } };
  }
  if (blocks2.some((block5) => block5.type !== "text")) {
    reading.notes.push(`${where(place2)}: only the text of the system message was kept`);
  }
  if (text4 !== "") reading.system.push(text4);
  return void 0;
};
var decodeOne = (reading, value, place2) => {
  if (!isRecord(value)) {
    reading.notes.push(`${where(place2)}: it is no message and was left out`);
    return void 0;
  }
  const role = value["role"];
  switch (role) {
    case "system":
    case "developer":
      return system(reading, value, place2);
    case "user":
      return user(decodeContent(value["content"]));
    case "assistant":
      return assistant2(value, place2, reading.notes);
    case "tool":
    case "function":
      return tool(value);
    default:
      reading.notes.push(
        `${where(place2)}: the role ${JSON.stringify(role) ?? "is missing"} is unknown; it was read as the user's`
      );
      return user(decodeContent(value["content"]));
  }
};
var toolSchema = (value) => {
  const detail = isRecord(value) && isRecord(value["function"]) ? value["function"] : value;
  if (!isRecord(detail)) return void 0;
  const { description: description2, name } = detail;
  if (typeof name !== "string" || name === "") return void 0;
  return {
    name,
    ...typeof description2 === "string" ? { description: description2 } : {},
    parameters: detail["parameters"] ?? { type: "object", properties: {} }
  };
};
var decodeConversation = (id, list2, tools = []) => {
  const reading = { system: [], messages: [], places: [], notes: [] };
  for (const [place2, value] of list2.entries()) {
    const message = decodeOne(reading, value, place2);
    if (message === void 0) continue;
    if (isEmpty(message)) {
      reading.notes.push(`${where(place2)}: an empty ${message.role} message was left out`);
      continue;
    }
    reading.messages.push(message);
    reading.places.push(place2);
  }
  const schemas = tools.map(toolSchema).filter((schema) => schema !== void 0);
  if (schemas.length < tools.length) {
    reading.notes.push(`${tools.length - schemas.length} tools have no name and were left out`);
  }
  const repaired = repairPairs(reading.messages, (index) => where(reading.places[index] ?? index));
  return {
    id,
    ...reading.system.length === 0 ? {} : { system: reading.system.join("\n\n") },
    ...schemas.length === 0 ? {} : { tools: schemas },
    messages: repaired.messages,
    requests: [],
    compactions: [],
    notes: [...reading.notes, ...repaired.notes]
  };
};

// src/formats/DshSession.ts
var resultBlock2 = (value) => {
  const part3 = fields(value);
  if (part3["type"] === "text") return textBlock(text(part3["text"]));
  return part3["type"] === "image" && typeof part3["data"] === "string" ? inlineImage(part3["data"], part3["mimeType"] ?? part3["mediaType"]) : { type: "unknown", value };
};
var resultOf = (id, part3) => ({
  type: "tool-result",
  id: text(id),
  name: "",
  content: list(part3["content"]).map(resultBlock2),
  ...part3["isError"] === true ? { isError: true } : {}
});
var block2 = (value) => {
  const part3 = fields(value);
  switch (part3["type"]) {
    case "reasoning":
      return reasoning(text(part3["text"]));
    case "tool-call":
      return toolCall(text(part3["id"]), text(part3["name"]), parsed(part3["arguments"]) ?? {});
    case "tool-result":
      return resultOf(part3["toolCallId"], part3);
    default:
      return resultBlock2(value);
  }
};
var messageOf = (type, data) => {
  const said = isRecord(data["message"]) ? data["message"] : data;
  const content3 = list(said["content"]);
  if (type === "tool/result") {
    const blocks2 = "callId" in data ? [resultOf(data["callId"], data)] : content3.map(block2);
    return { role: "tool", content: blocks2 };
  }
  if (type === "assistant/message") return assistant(content3.map(block2));
  const message = user(content3.map(block2));
  const source = fields(said["source"] ?? data["source"]);
  return type === "context/message" || source["kind"] === "plugin" ? { ...message, metadata: { source: "context" } } : message;
};
var placeholder = /^\{\{\w+\}\}$/u;
var patched = (system2, patch) => {
  const before = system2.split("\n");
  const start = typeof patch["keepStart"] === "number" ? patch["keepStart"] : 0;
  const end = typeof patch["keepEnd"] === "number" ? patch["keepEnd"] : 0;
  return [...before.slice(0, start), ...list(patch["insert"]).map(text), ...end === 0 ? [] : before.slice(-end)].join(
    "\n"
  );
};
var takeHeader = (log2, header) => {
  const { recording } = log2;
  const config = fields(header["config"]);
  log2.provider = nonEmpty(config["provider"]) ?? log2.provider;
  log2.model = nonEmpty(config["model"]) ?? log2.model;
  const system2 = text(header["system"]);
  if (placeholder.test(system2) || !Array.isArray(header["tools"])) log2.hidden = true;
  if (!placeholder.test(system2)) recording.system = system2;
  const tools = list(header["tools"]).map(toolSchema);
  recording.tools = tools.filter((tool2) => tool2 !== void 0);
};
var takeReplacement = (log2, message, seq, span, place2) => {
  const { recording, surface } = log2;
  const first = surface.findIndex((seen2) => seen2.seq === span["start"]);
  const last = surface.findIndex((seen2) => seen2.seq === span["end"]);
  if (first === -1 || last < first) {
    recording.notes.push(`${place2}: it replaces messages that are not there, and was added instead`);
    return takeAppended(log2, message, seq, place2);
  }
  const after = surface.slice(last + 1);
  let kept = after.length;
  while (kept > 0 && after[kept - 1]?.index === recording.messages.length - (after.length - kept) - 1) kept--;
  log2.surface = [...surface.slice(0, first), { seq, message, index: void 0 }, ...after];
  const head = log2.surface.slice(0, log2.surface.length - (after.length - kept)).map((seen2) => seen2.message);
  compacted(recording, head, recording.messages.length - (after.length - kept));
};
var takeAppended = (log2, message, seq, place2) => {
  const index = say(log2.recording, message, place2);
  log2.surface.push({ seq, message, index });
};
var takeMessage = (log2, event, seq, place2) => {
  const { recording } = log2;
  const data = fields(event["data"]);
  const message = messageOf(event["type"], data);
  const counted = fields(data["usage"]);
  request(
    recording,
    usage({
      uncached: counted["inputTokens"],
      output: counted["outputTokens"],
      cached: counted["cacheReadTokens"],
      reasoning: counted["reasoningTokens"]
    }),
    { at: recording.messages.length, place: place2, provider: log2.provider, model: log2.model }
  );
  const operation = event["surfaceOp"];
  if (isRecord(operation) && operation["op"] === "replace") takeReplacement(log2, message, seq, operation, place2);
  else takeAppended(log2, message, seq, place2);
};
var decode3 = (input2, options) => {
  const log2 = { recording: make(), surface: [], provider: void 0, model: void 0, hidden: false };
  const { recording } = log2;
  let id = "session";
  let position = 0;
  for (const line of lines(input2.text)) {
    const place2 = `line ${line.number}`;
    if (line.odd !== void 0) recording.notes.push(`${place2}: ${line.odd}`);
    for (const value of line.values) {
      const event = fields(value);
      if (event["type"] === "session") {
        id = nonEmpty(event["id"]) ?? id;
        continue;
      }
      const seq = typeof event["seq"] === "number" ? event["seq"] : position;
      position = seq + 1;
      const data = fields(event["data"]);
      if ("surfaceOp" in event) takeMessage(log2, event, seq, place2);
      else if (event["type"] === "request/header") takeHeader(log2, fields(data["header"]));
      else if (event["type"] === "request/header-delta" && recording.system !== void 0) {
        recording.system = patched(recording.system, fields(data["system"]));
      }
    }
  }
  return transcript(format4.name, [{ recording, id, visible: log2.hidden ? "messages" : "full" }], options);
};
var format4 = {
  name: "dsh-session",
  description: 'an event log of the DeepSeek Harness, first line {"type": "session", "createdAt": \u2026}',
  recognises: (input2) => {
    const first = input2.firstLine();
    return isRecord(first) && first["type"] === "session" && "createdAt" in first;
  },
  decode: decode3
};

// src/formats/MiniSweAgent.ts
import * as Either6 from "effect/Either";
var providerOf = (name) => /^([^/]+)\//u.exec(String(name))?.[1];
var decode4 = (input2, options) => Either6.flatMap(input2.json(), (json3) => {
  const file2 = fields(json3);
  const config = fields(fields(fields(file2["info"])["config"])["model"]);
  const provider = providerOf(config["model_name"]);
  const recording = make();
  const reading = { system: [], messages: [], places: [], notes: recording.notes };
  for (const [index, value] of list(file2["messages"]).entries()) {
    const said = fields(value);
    if (said["role"] === "exit") continue;
    const message = decodeOne(reading, value, index);
    if (message === void 0) continue;
    const place2 = `message ${index}`;
    const at = say(recording, message, place2);
    reading.messages.push(message);
    const response = fields(fields(said["extra"])["response"]);
    const model = nonEmpty(response["model"]);
    request(recording, chatUsage(response["usage"]), { at, place: place2, provider, model });
  }
  if (reading.system.length > 0) recording.system = reading.system.join("\n\n");
  return transcript(
    format5.name,
    [{ recording, id: nonEmpty(file2["instance_id"]) ?? "session", visible: "no-tool-schemas" }],
    options
  );
});
var format5 = {
  name: "mini-swe-agent",
  description: 'a trajectory of mini-swe-agent {"messages": [\u2026], "trajectory_format": "mini-swe-agent-\u2026"}',
  recognises: (input2) => {
    const json3 = Either6.getOrUndefined(input2.json());
    return isRecord(json3) && String(json3["trajectory_format"]).startsWith("mini-swe-agent");
  },
  decode: decode4
};

// src/formats/OpenAiChat.ts
import * as Arr2 from "effect/Array";
import * as Either7 from "effect/Either";
import * as Schema9 from "effect/Schema";
var List = Schema9.Array(Schema9.Unknown);
var Conversation = Schema9.Struct({ messages: List, tools: exactOptional(Schema9.NullOr(List)) });
var Run = Schema9.Struct({
  traj: List,
  tools: exactOptional(Schema9.NullOr(List)),
  task_id: exactOptional(Schema9.Unknown),
  trial: exactOptional(Schema9.Unknown)
});
var asList = Schema9.decodeUnknownOption(List);
var asConversation = Schema9.decodeUnknownOption(Conversation);
var asRuns = Schema9.decodeUnknownOption(Schema9.NonEmptyArray(Schema9.Union(Run, Conversation)));
var word = (label, value) => typeof value === "string" || typeof value === "number" ? [`${label}-${value}`] : [];
var runName = (run3, index) => {
  const words = [...word("task", run3.task_id), ...word("trial", run3.trial)];
  return words.length === 0 ? `run-${index + 1}` : words.join("-");
};
var partsOf = (json3) => {
  const conversation = asConversation(json3);
  if (conversation._tag === "Some") {
    const { messages: messages2, tools } = conversation.value;
    return [{ name: "session", list: messages2, tools: tools ?? null }];
  }
  const runs = asRuns(json3);
  if (runs._tag === "Some") {
    return runs.value.map(
      (run3, index) => "traj" in run3 ? { name: runName(run3, index), list: run3.traj, tools: run3.tools ?? null } : { name: `run-${index + 1}`, list: run3.messages, tools: run3.tools ?? null }
    );
  }
  const list2 = asList(json3);
  return list2._tag === "Some" ? [{ name: "session", list: list2.value }] : void 0;
};
var foreignParts = /* @__PURE__ */ new Set(["tool_use", "tool_result", "tool-call", "tool-result", "thinking"]);
var isForeign = (value) => isRecord(value) && Array.isArray(value["content"]) && value["content"].some((part3) => isRecord(part3) && foreignParts.has(String(part3["type"])));
var ownFields = ["content", "tool_calls", "function_call", "refusal"];
var isChatMessage = (value) => isRecord(value) && typeof value["role"] === "string" && ownFields.some((field) => field in value);
var isChat = ({ list: list2 }) => {
  const first = list2.find(isRecord);
  return first === void 0 ? list2.length === 0 : isChatMessage(first) && !list2.some(isForeign);
};
var recognises = (input2) => {
  const parts3 = Either7.map(input2.json(), partsOf);
  return Either7.isRight(parts3) && parts3.right !== void 0 && parts3.right.every(isChat);
};
var description = 'a JSON list of chat messages [{"role": \u2026, "content": \u2026}], an object {"messages": [\u2026], "tools"?: [\u2026]}, or a list of runs [{"traj": [\u2026]}]';
var sessionsOf = (parts3) => {
  const ids = uniqueIds(parts3.map((part3) => part3.name));
  return parts3.map(({ list: list2, name, tools }, index) => {
    const session2 = decodeConversation(ids[index] ?? name, list2, tools ?? []);
    return session2.messages.length === 0 ? { ...session2, notes: [...session2.notes, "it holds no messages"] } : session2;
  });
};
var decodeInput = (input2) => Either7.flatMap(input2.json(), (json3) => {
  const parts3 = partsOf(json3);
  if (parts3 === void 0) {
    const path = isRecord(json3) && "messages" in json3 ? { path: ["messages"] } : {};
    return Either7.left(new TranscriptInvalid({ reason: "unknown-shape", detail: `expected ${description}`, ...path }));
  }
  if (parts3.every((part3) => part3.list.length === 0)) return Either7.left(noMessages());
  const sessions = sessionsOf(parts3);
  if (sessions.some((session2) => session2.messages.length > 0) && Arr2.isNonEmptyReadonlyArray(sessions)) {
    return Either7.right({ format: format6.name, sessions });
  }
  return Either7.left(
    parts3.some((part3) => part3.list.some(isChatMessage)) ? noMessages("it holds no messages beside the system prompt and empty ones") : new TranscriptInvalid({ reason: "unknown-shape", detail: `expected ${description}` })
  );
});
var format6 = { name: "openai-chat", description, recognises, decode: decodeInput };

// src/formats/OpenHandsLlmLog.ts
import * as Either8 from "effect/Either";

// src/formats/internal/requestLog.ts
var commonLength = (sent2, texts) => {
  let length = 0;
  while (length < sent2.length && sent2[length]?.text === texts[length]) length++;
  return length;
};
var record = (requests, counted) => {
  const recording = make();
  const reading = { system: [], messages: [], places: [], notes: recording.notes };
  let sent2 = [];
  const take3 = (value, place2) => {
    const message = decodeOne(reading, value, recording.messages.length);
    if (message !== void 0) {
      say(recording, message, place2);
      reading.messages.push(message);
    }
    return { text: json2(value), message };
  };
  for (const request2 of requests) {
    const texts = request2.messages.map(json2);
    const common = commonLength(sent2, texts);
    if (common < sent2.length) {
      recording.notes.push(`${request2.place}: the request does not hold all that the one before it held`);
      if (common === 0) reading.system.length = 0;
      const head = sent2.slice(0, common).flatMap(({ message }) => message === void 0 ? [] : [message]);
      compacted(recording, head);
    }
    sent2 = [...sent2.slice(0, common), ...request2.messages.slice(common).map((value) => take3(value, request2.place))];
    if (reading.system.length > 0) recording.system = reading.system.join("\n\n");
    const tools = request2.tools.map(toolSchema).filter((tool2) => tool2 !== void 0);
    if (json2(tools) !== json2(recording.tools ?? [])) recording.tools = tools;
    const { model, place: place2, usage: usage2 } = request2;
    request(recording, usage2, { at: recording.messages.length, place: place2, model, counted });
  }
  const newest = requests.at(-1);
  if (newest?.answer !== void 0) take3(newest.answer, newest.place);
  return recording;
};

// src/formats/OpenHandsLlmLog.ts
var isOwn3 = (json3) => isRecord(json3) && Array.isArray(json3["messages"]) && isRecord(json3["response"]) && "latency_sec" in json3;
var isOwnInput = (input2) => isOwn3(Either8.getOrUndefined(input2.json()));
var filesOf = (input2) => input2.folder.length === 0 ? [input2] : input2.folder;
var logged = (input2, json3) => {
  const file2 = fields(json3);
  const response = fields(file2["response"]);
  const answer3 = fields(list(response["choices"])[0])["message"];
  return {
    place: input2.name ?? "the request",
    messages: list(file2["messages"]),
    // where the tools are told in the system prompt they are not sent again
    tools: "raw_messages" in file2 ? [] : list(file2["tools"]),
    answer: answer3,
    usage: chatUsage(response["usage"]),
    model: nonEmpty(response["model"])
  };
};
var decode5 = (input2, options) => {
  const requests = [];
  const notes = [];
  for (const file2 of filesOf(input2)) {
    const json3 = file2.json();
    if (Either8.isRight(json3) && isOwn3(json3.right)) requests.push(logged(file2, json3.right));
    else notes.push(`${file2.name ?? "the file"}: it is no log of a completion and was left out`);
  }
  const recording = record(requests, "provider");
  recording.notes.unshift(...notes);
  return transcript(format7.name, [{ recording, id: "session", visible: "full" }], options);
};
var format7 = {
  name: "openhands-llm-log",
  description: `OpenHands' log of a completion {"messages": [\u2026], "response": \u2026, "latency_sec": \u2026}, or a folder of them`,
  folder: true,
  recognises: (input2) => filesOf(input2).some(isOwnInput),
  decode: decode5
};

// src/formats/PiSession.ts
import * as Either9 from "effect/Either";
var resultBlock3 = (value) => {
  const part3 = fields(value);
  if (part3["type"] === "text") return textBlock(text(part3["text"]));
  return part3["type"] === "image" ? inlineImage(part3["data"], part3["mimeType"]) : { type: "unknown", value };
};
var block3 = (value) => {
  const part3 = fields(value);
  if (part3["type"] === "thinking") {
    const signature = nonEmpty(part3["thinkingSignature"]);
    return reasoning(text(part3["thinking"]), signature === void 0 ? {} : { signature });
  }
  return part3["type"] === "toolCall" ? toolCall(text(part3["id"]), text(part3["name"]), part3["arguments"] ?? {}) : resultBlock3(value);
};
var content2 = (value) => typeof value === "string" ? textBlocks(value) : list(value).map(block3);
var bashExecution = (said) => {
  const output = text(said["output"]);
  const exitCode = said["exitCode"];
  const end = said["cancelled"] === true ? "\n\n(command cancelled)" : typeof exitCode === "number" && exitCode !== 0 ? `

Command exited with code ${exitCode}` : "";
  const shown2 = output === "" ? "(no output)" : `\`\`\`
${output}
\`\`\``;
  return user(`Ran \`${text(said["command"])}\`
${shown2}${end}`);
};
var messageOf2 = (said) => {
  switch (said["role"]) {
    case "user":
      return user(content2(said["content"]));
    case "assistant":
      return assistant(content2(said["content"]));
    case "toolResult":
      return toolResult({
        id: text(said["toolCallId"]),
        name: text(said["toolName"]),
        content: list(said["content"]).map(resultBlock3),
        isError: said["isError"] === true
      });
    case "bashExecution":
      return bashExecution(said);
    default:
      return void 0;
  }
};
var summaryMessage = (summary) => user(
  `The conversation history before this point was compacted into the following summary:

<summary>
${summary}
</summary>`
);
var takeMessage2 = (recording, said, place2) => {
  const message = messageOf2(said);
  if (message === void 0) {
    return count(recording, `messages of the unknown role ${JSON.stringify(said["role"])} were left out`);
  }
  const at = say(recording, message, place2);
  const counted = fields(said["usage"]);
  request(
    recording,
    usage({
      uncached: counted["input"],
      output: counted["output"],
      cached: counted["cacheRead"],
      cacheWrite: counted["cacheWrite"]
    }),
    { at, place: place2, provider: nonEmpty(said["provider"]), model: nonEmpty(said["model"]) }
  );
};
var decode6 = (input2, options) => {
  const recording = make();
  const before = [];
  let id = "session";
  for (const line of lines(input2.text)) {
    const place2 = `line ${line.number}`;
    if (line.odd !== void 0) recording.notes.push(`${place2}: ${line.odd}`);
    for (const value of line.values) {
      const record2 = fields(value);
      before.push(recording.messages.length);
      switch (record2["type"]) {
        case "session":
          id = nonEmpty(record2["id"]) ?? id;
          break;
        case "message":
          takeMessage2(recording, fields(record2["message"]), place2);
          break;
        case "compaction": {
          const kept = record2["firstKeptEntryIndex"];
          const keptFrom = typeof kept === "number" ? before[kept] : void 0;
          compacted(recording, [summaryMessage(text(record2["summary"]))], keptFrom);
          break;
        }
        case "model_change":
        case "thinking_level_change":
          break;
        default:
          count(recording, `records of the unknown type ${JSON.stringify(record2["type"])} were left out`);
      }
    }
  }
  return recording.messages.length === 0 ? Either9.left(noMessages()) : transcript(format8.name, [{ recording, id, visible: "messages" }], options);
};
var format8 = {
  name: "pi-session",
  description: 'a session of the pi coding agent, first line {"type": "session", "cwd": \u2026}',
  recognises: (input2) => {
    const first = input2.firstLine();
    return isRecord(first) && first["type"] === "session" && "cwd" in first && "timestamp" in first;
  },
  decode: decode6
};

// src/formats/RooTask.ts
import * as Either10 from "effect/Either";
var timeOf = (value) => typeof value["ts"] === "number" ? value["ts"] : 0;
var block4 = (value) => {
  const part3 = fields(value);
  if (part3["type"] === "text") return textBlock(text(part3["text"]));
  const source = fields(part3["source"]);
  return part3["type"] === "image" && source["type"] === "base64" ? {
    type: "image",
    source: { type: "base64", base64: text(source["data"]) },
    mediaType: text(source["media_type"])
  } : { type: "unknown", value };
};
var sent = (value) => {
  const said = fields(value);
  const content3 = typeof said["content"] === "string" ? textBlocks(said["content"]) : list(said["content"]).map(block4);
  return {
    message: said["role"] === "assistant" ? assistant(content3) : user(content3),
    time: timeOf(said),
    summary: said["isSummary"] === true
  };
};
var asked = (event, index) => {
  const detail = fields(parsed(event["text"]));
  const cached = detail["cacheReads"];
  const figures2 = { output: detail["tokensOut"], cached, cacheWrite: detail["cacheWrites"] };
  return {
    index,
    time: timeOf(event),
    request: text(detail["request"]),
    usage: usage(
      detail["apiProtocol"] === "anthropic" ? { ...figures2, uncached: detail["tokensIn"] } : { ...figures2, input: detail["tokensIn"] }
    ),
    answer: ""
  };
};
var shown = /* @__PURE__ */ new Set(["text", "completion_result", "tool", "use_mcp_server", "command"]);
var readWindow = (events) => {
  const requests = [];
  const condensed = [];
  for (const [index, value] of events.entries()) {
    const event = fields(value);
    const kind = String(event["say"] ?? event["ask"]);
    const newest = requests.at(-1);
    if (kind === "api_req_started") requests.push(asked(event, index));
    else if (kind === "condense_context") condensed.push(timeOf(event));
    else if (newest !== void 0 && shown.has(kind)) {
      newest.answer += newest.answer === "" ? text(event["text"]) : `

${text(event["text"])}`;
    }
  }
  return { requests, condensed };
};
var place = (request2) => `message ${request2.index}`;
var fromWindow = (recording, requests) => {
  for (const request2 of requests) {
    say(recording, user(request2.request), place(request2));
    const at = recording.messages.length;
    request(recording, request2.usage, { at, place: place(request2) });
    say(recording, assistant(request2.answer), place(request2));
  }
};
var both = (recording, history, window) => {
  const summary = history.findLastIndex((said) => said.summary);
  const kept = history.slice(summary + 1);
  const since = kept[0]?.time ?? Infinity;
  const earlier = summary === -1 ? [] : window.requests.filter((request2) => request2.time + 1e3 < since);
  if (earlier.length > 0) {
    recording.notes.push("what the condensing removed was read from the log of the window, without its XML");
  }
  fromWindow(recording, earlier);
  const keptFrom = recording.messages.length;
  const condensed = window.condensed.at(-1) ?? since;
  let head = summary === -1 ? void 0 : history.slice(0, summary + 1).map((said) => said.message);
  const waiting = window.requests.slice(earlier.length);
  for (const said of kept) {
    if (head !== void 0 && said.time > condensed) {
      compacted(recording, head, keptFrom);
      head = void 0;
    }
    while (said.message.role === "assistant" && waiting[0] !== void 0 && waiting[0].time <= said.time) {
      const request2 = waiting.shift();
      request(recording, request2.usage, { at: recording.messages.length, place: place(request2) });
    }
    say(recording, said.message, "the history");
  }
  if (head !== void 0) compacted(recording, head, keptFrom);
  for (const request2 of waiting) {
    request(recording, request2.usage, { at: recording.messages.length, place: place(request2) });
  }
};
var isWindow = (json3) => {
  const first = list(json3)[0];
  return isRecord(first) && "ts" in first && (first["type"] === "say" || first["type"] === "ask");
};
var isHistory = (json3) => {
  const first = list(json3)[0];
  return isRecord(first) && "ts" in first && "role" in first && "content" in first;
};
var jsonOf = (input2) => (input2.folder.length === 0 ? [input2] : input2.folder).map((file2) => Either10.getOrUndefined(file2.json()));
var decode7 = (input2, options) => {
  const files = jsonOf(input2);
  const history = files.find(isHistory)?.map(sent);
  const window = files.find(isWindow);
  const recording = make();
  if (history !== void 0 && window !== void 0) both(recording, history, readWindow(window));
  else if (window !== void 0) fromWindow(recording, readWindow(window).requests);
  for (const said of window === void 0 ? history ?? [] : []) {
    say(recording, said.message, "the history");
    if (said.summary) recording.notes.push("the conversation was condensed; what was before the summary is not there");
  }
  return transcript(format9.name, [{ recording, id: "session", visible: "messages" }], options);
};
var format9 = {
  name: "roo-task",
  description: "a task of Roo Code: api_conversation_history.json, ui_messages.json, or a folder with both",
  folder: true,
  recognises: (input2) => jsonOf(input2).some((json3) => isHistory(json3) || isWindow(json3)),
  decode: decode7
};

// src/formats/SessionLog.ts
import * as Either13 from "effect/Either";
import * as ParseResult2 from "effect/ParseResult";
import * as Schema12 from "effect/Schema";

// src/session/EventCodec.ts
import * as Either11 from "effect/Either";
import * as ParseResult from "effect/ParseResult";
import * as Schema11 from "effect/Schema";

// src/session/SessionEvent.ts
import * as Schema10 from "effect/Schema";
var formatVersion = 1;
var Trigger = Schema10.Literal("pressure", "context-overflow", "manual");
var FinishReason = Schema10.Literal("stop", "tool-calls", "length", "content-filter", "unknown");
var ErrorRecord = Schema10.Struct({ tag: Schema10.String, message: Schema10.String });
var Counts = Schema10.Struct({ estimator: Schema10.NonEmptyString, values: Schema10.Array(Schema10.Number) });
var Replaces = Schema10.Struct({ first: Seq, last: Seq, sources: Schema10.NonEmptyArray(Seq) });
var Price = Schema10.Struct({ before: Schema10.Number, after: Schema10.Number });
var surfaceFields = { counts: Counts, replaces: exactOptional(Replaces) };
var body = (type, fields2) => Schema10.Struct({ type: Schema10.Literal(type), data: Schema10.Struct(fields2) });
var SessionOpened = body("session/opened", {
  formatVersion: Schema10.Int,
  session: SessionId,
  writer: Schema10.NonEmptyString
});
var TurnStart = body("turn/start", { turn: Schema10.NonNegativeInt });
var TurnEnd = body("turn/end", {
  turn: Schema10.NonNegativeInt,
  outcome: Schema10.Literal("completed", "output-limit", "suspended", "interrupted", "failed"),
  error: exactOptional(ErrorRecord),
  /** written by the next writer for one that died */
  settled: exactOptional(Schema10.Boolean)
});
var stepFields = { turn: Schema10.NullOr(Schema10.NonNegativeInt), step: Schema10.NonNegativeInt };
var StepStart = body("step/start", { ...stepFields, generation: Schema10.NonNegativeInt });
var StepEnd = body("step/end", {
  ...stepFields,
  outcome: Schema10.Literal("completed", "refused", "failed", "interrupted"),
  error: exactOptional(ErrorRecord),
  limit: exactOptional(Schema10.Number),
  limitCounts: exactOptional(Schema10.Literal("input", "input-and-output")),
  requested: exactOptional(Schema10.Number),
  /** what the provider counted, where no `message/assistant` of ours carries it */
  usage: exactOptional(Usage),
  settled: exactOptional(Schema10.Boolean)
});
var RescueEnd = body("rescue/end", {
  ...stepFields,
  outcome: Schema10.Literal("retry", "declined"),
  /** why it was declined */
  reason: exactOptional(Schema10.String),
  generation: Schema10.Struct({ before: Schema10.NonNegativeInt, after: Schema10.NonNegativeInt }),
  tokens: Price
});
var RequestEnvelope = body("request/envelope", { envelope: Envelope, counts: Counts });
var UserMessage = body("message/user", {
  message: Message.pipe(Schema10.filter((message) => message.role === "user")),
  source: Schema10.Literal("prompt", "context", "checkpoint"),
  ...surfaceFields
});
var AssistantMessage = body("message/assistant", {
  message: Message.pipe(Schema10.filter((message) => message.role === "assistant")),
  usage: exactOptional(Usage),
  finish: exactOptional(FinishReason),
  interrupted: exactOptional(Schema10.Boolean),
  ...surfaceFields
});
var ToolResult = body("message/tool-result", {
  callId: Schema10.NonEmptyString,
  name: Schema10.String,
  content: Schema10.Array(ResultBlock),
  isError: exactOptional(Schema10.Boolean),
  ...surfaceFields
});
var CompactionStart = body("compaction/start", {
  id: Schema10.NonEmptyString,
  trigger: Trigger,
  turn: Schema10.NullOr(Schema10.NonNegativeInt),
  writer: Schema10.NonEmptyString
});
var CompactionCall = body("compaction/call", {
  id: Schema10.NonEmptyString,
  rung: Schema10.NonEmptyString,
  route: exactOptional(Route),
  usage: exactOptional(Usage),
  output: Schema10.String,
  outcome: Schema10.String
});
var CompactionPrune = body("compaction/prune", {
  id: Schema10.NonEmptyString,
  trigger: Trigger,
  rung: Schema10.NonEmptyString,
  shadowed: Schema10.NonEmptyArray(Seq),
  price: Price
});
var CompactionSummary = body("compaction/summary", {
  id: Schema10.NonEmptyString,
  rung: Schema10.NonEmptyString,
  summary: Schema10.String,
  span: Schema10.Struct({ first: Seq, last: Seq }),
  shadowed: Schema10.NonEmptyArray(Seq),
  price: Price,
  /** absent: made without a model */
  route: exactOptional(Route)
});
var CompactionEnd = body("compaction/end", {
  id: Schema10.NonEmptyString,
  outcome: Schema10.Literal("landed", "failed", "interrupted"),
  /** whether the trigger's target was met then; false counts towards resting */
  targetMet: exactOptional(Schema10.Boolean),
  error: exactOptional(ErrorRecord),
  settled: exactOptional(Schema10.Boolean)
});
var Body = Schema10.Union(
  SessionOpened,
  TurnStart,
  TurnEnd,
  StepStart,
  StepEnd,
  RescueEnd,
  RequestEnvelope,
  UserMessage,
  AssistantMessage,
  ToolResult,
  CompactionStart,
  CompactionCall,
  CompactionPrune,
  CompactionSummary,
  CompactionEnd
);
var messageOf3 = (event) => event.type === "message/tool-result" ? {
  role: "tool",
  content: [
    {
      type: "tool-result",
      id: event.data.callId,
      name: event.data.name,
      content: event.data.content,
      ...event.data.isError === void 0 ? {} : { isError: event.data.isError }
    }
  ]
} : event.data.message;
var isSurfaceBody = (event) => event.type === "message/user" || event.type === "message/assistant" || event.type === "message/tool-result";

// src/session/EventCodec.ts
var Head = Schema11.Struct({
  seq: Schema11.NonNegativeInt,
  time: Schema11.Number,
  type: Schema11.String,
  optional: Schema11.optional(Schema11.Boolean)
});
var decodeHead = Schema11.decodeUnknownEither(Head);
var decoders = new Map(
  Body.members.map((member) => [
    member.fields.type.literals[0],
    Schema11.decodeUnknownEither(member)
  ])
);
var encodeBody = Schema11.encodeUnknownEither(Body);
var describe = (error) => ParseResult.ArrayFormatter.formatErrorSync(error).map((issue) => `${issue.path.join(".")}: ${issue.message}`).slice(0, 3).join("; ");
var decode8 = (value) => {
  const head = decodeHead(value);
  if (Either11.isLeft(head)) return Either11.left(`not an event: ${describe(head.left)}`);
  const { optional: optional3, seq, time, type } = head.right;
  const decodeBody = decoders.get(type);
  if (decodeBody === void 0) {
    return optional3 === true ? Either11.right({ type: "skipped", seq, time, value }) : Either11.left(`seq ${seq} has the type "${type}", which this version does not know; a newer version wrote it`);
  }
  return Either11.mapBoth(decodeBody(value), {
    onLeft: (error) => `seq ${seq} (${type}) is not valid: ${describe(error)}`,
    onRight: (body2) => ({ ...body2, seq, time })
  });
};

// src/session/SurfaceState.ts
import * as Either12 from "effect/Either";
var makeColumns = (dimensions, capacity, seqs) => ({
  nodes: [],
  messages: [],
  sums: new Float64Array((capacity + 1) * dimensions),
  open: new Int32Array(capacity),
  positions: new Int32Array(seqs).fill(-1)
});
var noCalls = /* @__PURE__ */ new Map();
var empty = (dimensions) => ({
  generation: 0,
  length: 0,
  dimensions,
  unanswered: noCalls,
  columns: makeColumns(dimensions, 16, 64)
});
var grown = (array, needed, make3) => {
  if (needed <= array.length) return array;
  const larger = make3(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
};
var push2 = (columns, dimensions, node, open) => {
  const at = columns.nodes.length;
  columns.sums = grown(columns.sums, (at + 2) * dimensions, (n) => new Float64Array(n));
  columns.open = grown(columns.open, at + 1, (n) => new Int32Array(n));
  columns.positions = grown(columns.positions, node.seq + 1, (n) => new Int32Array(n).fill(-1));
  for (let k = 0; k < dimensions; k++) {
    columns.sums[(at + 1) * dimensions + k] = (columns.sums[at * dimensions + k] ?? 0) + (node.counts[k] ?? 0);
  }
  columns.open[at] = open;
  columns.positions[node.seq] = at;
  columns.nodes.push(node);
  columns.messages.push(node.message);
};
var afterMessage = (unanswered, node) => {
  if (node.message.role === "tool") {
    const next = new Map(unanswered);
    for (const result of toolResults(node.message)) {
      if (!next.delete(result.id)) {
        return Either12.left({
          reason: "no-such-call",
          detail: `seq ${node.seq} answers the call "${result.id}", which is not open`
        });
      }
    }
    return Either12.right(next.size === 0 ? noCalls : next);
  }
  if (unanswered.size > 0) {
    return Either12.left({
      reason: "unanswered-calls",
      detail: `seq ${node.seq} comes before the results of ${[...unanswered.keys()].map((id) => `"${id}"`).join(", ")}`
    });
  }
  const calls = toolCalls(node.message);
  return Either12.right(calls.length === 0 ? noCalls : new Map(calls.map((call2) => [call2.id, node.seq])));
};
var owned = (state) => {
  if (state.columns.nodes.length === state.length) return state.columns;
  const copy = makeColumns(state.dimensions, state.length + 16, state.columns.positions.length);
  for (let i = 0; i < state.length; i++) {
    push2(copy, state.dimensions, state.columns.nodes[i], state.columns.open[i]);
  }
  return copy;
};
var append = (state, node) => {
  const calls = state.unanswered.size === 0 && node.message.role === "user" ? Either12.right(noCalls) : afterMessage(state.unanswered, node);
  if (Either12.isLeft(calls)) return Either12.left(calls.left);
  const columns = owned(state);
  push2(columns, state.dimensions, node, calls.right.size);
  return Either12.right({
    generation: state.generation,
    length: state.length + 1,
    dimensions: state.dimensions,
    unanswered: calls.right,
    columns
  });
};
var positionOf = (state, seq) => {
  const position = state.columns.positions[seq];
  return position === void 0 || position < 0 || position >= state.length ? void 0 : position;
};
var nodeAt = (state, position) => position < state.length ? state.columns.nodes[position] : void 0;
var nodes = (state, from = 0, to = state.length) => state.columns.nodes.slice(from, Math.min(to, state.length));
var messagesOf = /* @__PURE__ */ new WeakMap();
var messages = (state) => {
  const known = messagesOf.get(state);
  if (known !== void 0) return known;
  const built = state.columns.messages.slice(0, state.length);
  messagesOf.set(state, built);
  return built;
};
var sumBefore = (state, position, weights3) => {
  const { sums } = state.columns;
  const at = position * state.dimensions;
  let sum2 = 0;
  for (let k = 0; k < state.dimensions; k++) sum2 += sums[at + k] * weights3[k];
  return sum2;
};
var totalCounts = (state) => {
  const at = state.length * state.dimensions;
  return Array.from(state.columns.sums.subarray(at, at + state.dimensions));
};
var isBetweenUnits = (state, position) => position <= 0 || position <= state.length && state.columns.open[position - 1] === 0;
var sameCalls = (a, b) => {
  const left9 = toolCalls(a);
  const right8 = toolCalls(b);
  return left9.length === right8.length && left9.every((call2, i) => call2.id === right8[i]?.id && call2.name === right8[i]?.name);
};
var mayStandFor = (node, old) => {
  if (node.message.role !== old.message.role) return false;
  if (old.message.role !== "tool") return sameCalls(node.message, old.message);
  const [was] = toolResults(old.message);
  const [is] = toolResults(node.message);
  return node.message.content.length === 1 && was !== void 0 && is !== void 0 && was.id === is.id && was.name === is.name && was.isError === is.isError;
};
var placeOf = (state, replacement) => {
  const { first, last, node } = replacement;
  const from = positionOf(state, first);
  const to = positionOf(state, last);
  if (from === void 0 || to === void 0) {
    return Either12.left({
      reason: "no-such-node",
      detail: `seq ${from === void 0 ? first : last} is not on the surface`
    });
  }
  if (from > to) {
    return Either12.left({ reason: "reversed", detail: `seq ${first} stands behind seq ${last} on the surface` });
  }
  if (from === to && mayStandFor(node, nodeAt(state, from))) return Either12.right({ first: from, last: to, node });
  if (node.message.role === "tool") {
    return Either12.left({
      reason: "changes-more-than-content",
      detail: `a tool result replaces the content of that one result and nothing else (seq ${first} to ${last})`
    });
  }
  if (!isBetweenUnits(state, from) || !isBetweenUnits(state, to + 1)) {
    return Either12.left({
      reason: "splits-a-pair",
      detail: `the span from seq ${first} to seq ${last} parts a tool call from its result`
    });
  }
  return Either12.right({ first: from, last: to, node });
};
var replace = (state, replacements2) => {
  if (replacements2.length === 0) return Either12.left({ reason: "empty", detail: "no span was named" });
  const places = [];
  for (const replacement of replacements2) {
    const place2 = placeOf(state, replacement);
    if (Either12.isLeft(place2)) return Either12.left(place2.left);
    places.push(place2.right);
  }
  places.sort((a, b) => a.first - b.first);
  const columns = makeColumns(state.dimensions, state.length + 16, state.columns.positions.length);
  let unanswered = noCalls;
  let next = 0;
  for (let position = 0; position < state.length; position++) {
    const place2 = places[next];
    if (place2 !== void 0 && place2.first < position) {
      return Either12.left({ reason: "overlapping", detail: `seq ${place2.node.seq} replaces what another one replaces` });
    }
    const replaces = place2 !== void 0 && place2.first === position;
    const node = replaces ? place2.node : state.columns.nodes[position];
    if (replaces) {
      position = place2.last;
      next++;
    }
    const calls = afterMessage(unanswered, node);
    if (Either12.isLeft(calls)) return Either12.left(calls.left);
    unanswered = calls.right;
    push2(columns, state.dimensions, node, unanswered.size);
  }
  if (next < places.length) {
    return Either12.left({
      reason: "overlapping",
      detail: `seq ${places[next].node.seq} replaces what another one replaces`
    });
  }
  return Either12.right({
    generation: state.generation + replacements2.length,
    length: columns.nodes.length,
    dimensions: state.dimensions,
    unanswered,
    columns
  });
};

// src/formats/SessionLog.ts
var Frame = Schema12.Struct({
  v: Schema12.Int,
  seq: Schema12.NonNegativeInt,
  count: Schema12.Int,
  events: Schema12.Array(Schema12.Unknown)
});
var decodeFrame = Schema12.decodeUnknownEither(Frame);
var isFrame = (value) => isRecord(value) && typeof value["v"] === "number" && typeof value["seq"] === "number" && Array.isArray(value["events"]);
var broken = (line, detail) => new TranscriptInvalid({ reason: "broken-line", line, detail });
var firstIssue = (error) => {
  const [issue] = ParseResult2.ArrayFormatter.formatErrorSync(error);
  if (issue === void 0) return error.message;
  return `${issue.path.length === 0 ? "" : `${issue.path.join(".")}: `}${issue.message.slice(0, 200)}`;
};
var contextMetadata = (message) => ({
  ...message,
  metadata: { source: "context", ...message.metadata }
});
var messageOf4 = (event) => {
  const message = messageOf3(event);
  return event.type === "message/user" && event.data.source === "context" ? contextMetadata(message) : message;
};
var reader = (options = {}) => {
  const lastSeen2 = options.history === "last-seen";
  const known = { session: void 0, envelope: void 0, envelopes: 0, nextSeq: 0, skipped: /* @__PURE__ */ new Map() };
  let nodes2 = empty(0);
  let number = 0;
  let damage;
  const surface = (event) => {
    const { replaces } = event.data;
    if (replaces !== void 0 && !lastSeen2) return void 0;
    const message = messageOf4(event);
    if (event.type === "message/assistant" && isEmpty(message)) return void 0;
    const node = { seq: event.seq, message, counts: [], source: "context" };
    const next = replaces === void 0 ? append(nodes2, node) : replace(nodes2, [{ ...replaces, node }]);
    if (Either13.isLeft(next)) return next.left.detail;
    nodes2 = next.right;
    return void 0;
  };
  const takeEvent = (value) => {
    const decoded = decode8(value);
    if (Either13.isLeft(decoded)) return decoded.left;
    const event = decoded.right;
    if (event.seq !== known.nextSeq) return `seq ${known.nextSeq} is expected and ${event.seq} stands there`;
    known.nextSeq++;
    if (event.type === "skipped") {
      const type = isRecord(event.value) ? String(event.value["type"]) : "unknown";
      known.skipped.set(type, (known.skipped.get(type) ?? 0) + 1);
      return void 0;
    }
    if (event.type === "session/opened") known.session ??= event.data.session;
    if (event.type === "request/envelope") {
      known.envelope = event.data.envelope;
      known.envelopes++;
    }
    return isSurfaceBody(event) ? surface(event) : void 0;
  };
  const takeFrame = (value) => {
    const frame = decodeFrame(value);
    if (Either13.isLeft(frame)) return broken(number, `the line is no batch of a log (${firstIssue(frame.left)})`);
    const { count: count2, events, seq, v } = frame.right;
    if (v > formatVersion) {
      return new TranscriptInvalid({
        reason: "newer-version",
        line: number,
        detail: `the log is of version ${v}, and this version reads up to ${formatVersion}`
      });
    }
    if (count2 !== events.length) return broken(number, `${count2} events are announced and ${events.length} are there`);
    if (seq !== known.nextSeq) return broken(number, `seq ${known.nextSeq} is expected and ${seq} stands there`);
    for (const event of events) {
      const problem = takeEvent(event);
      if (problem !== void 0) return broken(number, problem);
    }
    return void 0;
  };
  const notes = (torn) => [
    ...torn ? [`line ${number}: the last write was cut off and was left out`] : [],
    ...known.envelopes > 1 ? [`system prompt, tools or settings changed during the session; those of the last request are given`] : [],
    ...[...known.skipped].map(([type, count2]) => `${count2} events of the unknown type "${type}" were skipped`)
  ];
  return {
    line: (text4) => {
      if (damage !== void 0) return Either13.left(damage.error);
      number++;
      if (text4.trim() === "") return Either13.void;
      const json3 = parseJson(text4);
      if (Either13.isLeft(json3)) {
        damage = { error: broken(number, "the line is not JSON"), maybeCutOff: true };
        return Either13.void;
      }
      const error = takeFrame(json3.right);
      if (error === void 0) return Either13.void;
      damage = { error, maybeCutOff: false };
      return Either13.left(error);
    },
    end: (torn) => {
      const cut = torn && damage?.maybeCutOff === true;
      if (damage !== void 0 && !cut) return Either13.left(damage.error);
      const repaired = repairPairs(messages(nodes2));
      if (repaired.messages.length === 0) return Either13.left(noMessages("the log holds no messages"));
      const [id = "session"] = uniqueIds([known.session ?? "session"]);
      const { system: system2, tools } = known.envelope ?? {};
      return Either13.right({
        format: format10.name,
        sessions: [
          {
            id,
            ...system2 === void 0 ? {} : { system: system2 },
            ...tools === void 0 ? {} : { tools },
            messages: repaired.messages,
            requests: [],
            compactions: [],
            notes: [...notes(cut), ...repaired.notes]
          }
        ]
      });
    }
  };
};
var decode9 = (text4, options = {}) => {
  const reading = reader(options);
  for (let start = 0; start < text4.length; ) {
    const found = text4.indexOf("\n", start);
    const end = found === -1 ? text4.length : found;
    const taken = reading.line(text4.slice(start, end));
    if (Either13.isLeft(taken)) return Either13.left(taken.left);
    start = end + 1;
  }
  return reading.end(!text4.endsWith("\n"));
};
var format10 = {
  name: "session-log",
  description: "a log of this library, one batch of events a line",
  // the second way finds a log whose first line is damaged, so that its line is named
  recognises: (input2) => isFrame(input2.firstLine()) || /^\s*\{"v":\d+,"seq":\d+,/u.test(input2.text),
  decode: (input2, options) => decode9(input2.text, options)
};

// src/formats/SweAgentLlmLog.ts
var decode10 = (input2, options) => {
  const requests = [];
  const notes = [];
  let open;
  const close = (response, line) => {
    if (open === void 0) return void notes.push(`line ${line}: a response has no request before it`);
    const { request: request2, line: at } = open;
    open = void 0;
    requests.push({
      place: line === void 0 ? `request line ${at}` : `request line ${at}, response line ${line}`,
      messages: list(request2["messages"]),
      tools: list(request2["tools"]),
      answer: fields(list(response["choices"])[0])["message"],
      usage: chatUsage(response["usage"]),
      model: nonEmpty(response["model"]) ?? nonEmpty(request2["model"])
    });
  };
  for (const line of lines(input2.text)) {
    if (line.odd !== void 0) notes.push(`line ${line.number}: ${line.odd}`);
    for (const value of line.values.map(fields)) {
      if (value["type"] === "response") close(fields(value["response"]), line.number);
      if (value["type"] === "request") {
        if (open !== void 0) close({}, void 0);
        open = { request: fields(value["request_params"]), line: line.number };
      }
    }
  }
  if (open !== void 0) close({}, void 0);
  const recording = record(requests, "relay");
  recording.notes.unshift(...notes);
  return transcript(format11.name, [{ recording, id: "session", visible: "full" }], options);
};
var format11 = {
  name: "swe-agent-llm-log",
  description: `a log of SWE-agent's model calls, lines {"type": "request", "request_params": \u2026}`,
  recognises: (input2) => {
    const first = input2.firstLine();
    return isRecord(first) && first["type"] === "request" && isRecord(first["request_params"]);
  },
  decode: decode10
};

// src/formats/Formats.ts
var all = [
  format10,
  format8,
  format4,
  format2,
  format3,
  format11,
  format5,
  format7,
  format9,
  format6
];
var candidates = (given) => given.folder.length === 0 ? all : all.filter((format12) => format12.folder === true);
var find = (given) => candidates(given).find((format12) => format12.recognises(given));
var isText = (source) => typeof source === "string";
var empty2 = (what) => new TranscriptInvalid({ reason: "empty", detail: `${what} is empty` });
var inputOf = (source) => {
  const given = isText(source) ? input(source) : folder(source);
  if (given === void 0) return Either14.left(empty2("the folder"));
  return given.folder.length === 0 && given.text.trim() === "" ? Either14.left(empty2("it")) : Either14.right(given);
};
var detect = (source) => Either14.match(inputOf(source), { onLeft: () => void 0, onRight: (given) => find(given)?.name });
var expected = (formats) => formats.map((format12) => `${format12.description} (${format12.name})`).join("; or ");
var unrecognised = (given) => {
  if (given.folder.length > 0) {
    return new TranscriptInvalid({
      reason: "unknown-shape",
      detail: `its files are of no known form; expected ${expected(candidates(given))}`
    });
  }
  const json3 = given.json();
  return Either14.isLeft(json3) && given.firstLine() === void 0 ? json3.left : new TranscriptInvalid({
    reason: "unknown-shape",
    detail: `it is JSON, but of no known form; expected ${expected(all)}`
  });
};
var decode11 = (source, options = {}) => Either14.flatMap(inputOf(source), (given) => {
  const { format: name } = options;
  const format12 = name === void 0 ? find(given) : all.find((each) => each.name === name);
  if (format12 !== void 0) return format12.decode(given, options);
  return Either14.left(
    name === void 0 ? unrecognised(given) : new TranscriptInvalid({
      reason: "unknown-format",
      detail: `there is no format "${name}"; there are ${all.map((each) => each.name).join(", ")}`
    })
  );
});

// src/cli/meterInput.ts
var BadInput = class extends Data.TaggedError("BadInput") {
};
var textOf = (path) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path)).pipe(
  Effect.mapError((error) => new BadInput({ message: `cannot read ${path}: ${error.message}` }))
);
var decode12 = (file2, source, format12) => decode11(source, format12 === void 0 ? {} : { format: format12 }).pipe(
  Either15.map((transcript2) => ({ file: file2, transcript: transcript2 })),
  Either15.mapLeft(({ message }) => new BadInput({ message: `${file2}: ${message}` }))
);
var readFolder = Effect.fnUntraced(function* (folder2, format12) {
  const fs = yield* FileSystem.FileSystem;
  const path = yield* Path.Path;
  const names = yield* Effect.mapError(
    fs.readDirectory(folder2),
    (error) => new BadInput({ message: `cannot read ${folder2}: ${error.message}` })
  );
  const files = yield* Effect.forEach(
    names.filter((name) => /\.(jsonl?|traj)$/u.test(name)).toSorted(),
    (name) => Effect.map(textOf(path.join(folder2, name)), (text4) => ({ name, text: text4 }))
  );
  if (files.length === 0) {
    return yield* new BadInput({ message: `${folder2} holds no .json, .jsonl or .traj files` });
  }
  if (detect(files) !== void 0) return [yield* decode12(folder2, files, format12)];
  return yield* Effect.forEach(files, ({ name, text: text4 }) => decode12(path.join(folder2, name), text4, format12));
});
var read = Effect.fnUntraced(function* (path, format12) {
  const fs = yield* FileSystem.FileSystem;
  const found = yield* Effect.mapError(
    fs.stat(path),
    () => new BadInput({ message: `there is no file or folder ${path} that may be read` })
  );
  if (found.type === "Directory") return yield* readFolder(path, format12);
  return [yield* decode12(path, yield* textOf(path), format12)];
});

// src/cli/meterReplay.ts
import * as Either17 from "effect/Either";

// src/compaction/Calibration.ts
var countedWays = ["output", "visible-output"];
var priorTokens = 3e3;
var forgetting = 0.97;
var plausible = { least: 0.3, most: 4 };
var believable = { least: 0.5, most: 2.5 };
var allowed = { framing: 40 / 3, unseen: 0.12, estimated: 0.06, output: 0.02 };
var mostOff = 10;
var priorErrors = 10;
var noFit = { counted: 0, estimated: 0, missed: 0 };
var none2 = {
  fits: { estimate: noFit, output: noFit, "visible-output": noFit },
  errors: { squares: 0, count: 0 }
};
var isPlausible = (ratio) => ratio >= plausible.least && ratio <= plausible.most;
var densityOf = (fit) => (priorTokens + fit.counted) / (priorTokens + fit.estimated);
var outputOf = (way, { output, reasoning: reasoning2 }) => way === "output" ? output : Math.max(output - reasoning2, 0);
var parts2 = (way, { estimated, reply }) => way === "estimate" || reply === void 0 ? { known: 0, estimated } : { known: outputOf(way, reply), estimated: estimated - reply.estimated };
var distance = (way, reply) => {
  const ratio = outputOf(way, reply) / reply.estimated;
  return ratio >= believable.least && ratio <= believable.most ? Math.max(ratio, 1 / ratio) : Infinity;
};
var wayFor = ({ fits }, reply) => {
  let best = "estimate";
  for (const way of countedWays) if (fits[way].missed < fits[best].missed) best = way;
  if (best !== "estimate" || reply === void 0) return best;
  let nearest = Infinity;
  for (const way of countedWays) {
    const far = fits[way].missed === fits.estimate.missed ? distance(way, reply) : Infinity;
    if (far >= nearest) continue;
    nearest = far;
    best = way;
  }
  return best;
};
var density = (calibration2) => densityOf(calibration2.fits[wayFor(calibration2, void 0)]);
var predict = (calibration2, growth2) => {
  const way = wayFor(calibration2, growth2.reply);
  const { estimated, known } = parts2(way, growth2);
  const rest = estimated * densityOf(calibration2.fits[way]);
  return {
    tokens: known + rest,
    reply: way === "estimate" || growth2.reply === void 0 ? void 0 : known,
    error: errorOf(calibration2, rest, known)
  };
};
var errorOf = ({ errors }, estimated, known) => {
  const share = errors.count === 0 ? allowed.unseen : allowed.estimated;
  const learned = Math.sqrt((priorErrors + errors.squares) / (priorErrors + errors.count));
  return (allowed.framing + share * Math.abs(estimated) + allowed.output * known) * Math.max(learned, 1);
};
var allowance = (estimated, known) => errorOf(none2, 0, known) + allowed.estimated * estimated;
var fitted = (fit, way, growth2, counted) => {
  const { estimated, known } = parts2(way, growth2);
  const missed = fit.missed * forgetting + Math.abs(known + estimated * densityOf(fit) - counted);
  return estimated > 0 && isPlausible((counted - known) / estimated) ? {
    counted: fit.counted * forgetting + (counted - known),
    estimated: fit.estimated * forgetting + estimated,
    missed
  } : { ...fit, missed };
};
var learn = (calibration2, growth2, counted) => {
  const { errors, fits } = calibration2;
  const way = wayFor(calibration2, growth2.reply);
  const { estimated, known } = parts2(way, growth2);
  const rest = estimated * densityOf(fits[way]);
  const off = Math.min(Math.abs(known + rest - counted) / allowance(rest, known), mostOff);
  return {
    fits: {
      estimate: fitted(fits.estimate, "estimate", growth2, counted),
      output: fitted(fits.output, "output", growth2, counted),
      "visible-output": fitted(fits["visible-output"], "visible-output", growth2, counted)
    },
    errors: { squares: errors.squares * forgetting + off * off, count: errors.count * forgetting + 1 }
  };
};

// src/compaction/TokenEstimator.ts
var tokens2 = (counts, weights3) => {
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += (counts[i] ?? 0) * (weights3[i] ?? 0);
  return total;
};

// src/compaction/Changes.ts
var growth = ({ gained: gained2, reply }, weights3, more = 0) => ({
  estimated: tokens2(gained2, weights3) + more,
  reply: reply === void 0 ? void 0 : { estimated: tokens2(reply.counts, weights3), output: reply.output, reasoning: reply.reasoning }
});
var plus = (a, b) => a.length === 0 ? b : a.map((value, k) => value + (b[k] ?? 0));
var minus = (a, b) => a.map((value, k) => value - (b[k] ?? 0));
var gained = (changes, counts) => changes === void 0 ? void 0 : { ...changes, gained: plus(changes.gained, counts) };
var moved = (changes, shadowed, counts, priceOf) => {
  if (changes === void 0) return void 0;
  let { gained: gained2, lost, reply } = changes;
  for (const node of shadowed) {
    if (node.seq < changes.requestSeq) lost -= priceOf(node);
    else gained2 = minus(gained2, node.counts);
    if (node.seq === reply?.seq) reply = void 0;
  }
  return { ...changes, lost, gained: plus(gained2, counts), reply };
};

// src/compaction/Ledger.ts
var empty3 = () => ({ length: 0, entries: [] });
var add2 = (ledger, entry) => {
  const entries = ledger.entries.length === ledger.length ? ledger.entries : ledger.entries.slice(0, ledger.length);
  entries.push(entry);
  return { length: ledger.length + 1, entries };
};
var tokensOf = (ledger, node) => {
  let low = 0;
  let high = ledger.length - 1;
  while (low <= high) {
    const middle = low + high >> 1;
    const entry = ledger.entries[middle];
    if (node.seq < entry.from) high = middle - 1;
    else if (node.seq >= entry.to) low = middle + 1;
    else if (entry.reply?.seq === node.seq) return entry.reply.tokens;
    else return tokens2(node.counts, entry.weights) * entry.ratio;
  }
  return void 0;
};

// src/compaction/Meter.ts
var empty4 = () => ({
  anchor: void 0,
  pending: void 0,
  ledger: empty3(),
  calibrations: /* @__PURE__ */ new Map()
});
var leastCounted = 0.3;
var calibration = (meter, routeKey) => meter.calibrations.get(routeKey) ?? none2;
var density2 = (meter, routeKey) => density(calibration(meter, routeKey));
var sinceReport = ({ anchor, calibrations }, weights3, envelope) => {
  if (anchor === void 0 || anchor.envelope.routeKey !== envelope.routeKey) return void 0;
  const changed = anchor.envelope.key === envelope.key ? 0 : tokens2(envelope.counts, weights3) - tokens2(anchor.envelope.counts, weights3);
  const known = calibrations.get(envelope.routeKey) ?? none2;
  const gained2 = predict(known, growth(anchor, weights3, changed));
  return { reported: anchor.reported, delta: anchor.lost + gained2.tokens, error: gained2.error };
};
var price = (meter, node, weights3, routeKey) => {
  const learned = tokensOf(meter.ledger, node);
  if (learned !== void 0) return learned;
  const known = calibration(meter, routeKey);
  const reply = meter.anchor?.reply?.seq === node.seq ? predict(known, growth(meter.anchor, weights3)).reply : void 0;
  return reply ?? tokens2(node.counts, weights3) * density(known);
};
var appended = (meter, node, usage2) => {
  const { anchor, pending } = meter;
  if (anchor === void 0 && pending === void 0) return meter;
  const gained2 = gained(anchor, node.counts);
  const answers = usage2 !== void 0 && usage2.outputTokens > 0 && pending === void 0 && anchor?.reply === void 0;
  return {
    anchor: gained2 === void 0 || !answers ? gained2 : {
      ...gained2,
      reply: {
        seq: node.seq,
        counts: node.counts,
        output: usage2.outputTokens,
        reasoning: usage2.reasoningTokens ?? 0
      }
    },
    pending: gained(pending, node.counts),
    ledger: meter.ledger,
    calibrations: meter.calibrations
  };
};
var replaced = (meter, shadowed, counts, weights3, routeKey) => {
  const priceOf = (node) => price(meter, node, weights3, routeKey);
  return {
    ...meter,
    anchor: moved(meter.anchor, shadowed, counts, priceOf),
    pending: moved(meter.pending, shadowed, counts, priceOf)
  };
};
var requested = (meter, requestSeq, envelope) => ({
  ...meter,
  pending: { requestSeq, envelope, lost: 0, gained: [], reply: void 0, sinceAnchor: meter.anchor }
});
var shared = (growth2, counted, reply) => {
  if (reply !== void 0 && growth2.reply !== void 0) {
    const ratio2 = (counted - reply.tokens) / (growth2.estimated - growth2.reply.estimated);
    if (isPlausible(ratio2)) return { ratio: ratio2, reply };
  }
  const ratio = counted / growth2.estimated;
  return isPlausible(ratio) ? { ratio } : void 0;
};
var reported = (meter, inputTokens, expected2, weights3, routeKey) => {
  const { anchor, pending } = meter;
  if (pending === void 0 || inputTokens <= 0 || inputTokens < expected2 * leastCounted) return meter;
  const { sinceAnchor, ...changes } = pending;
  const next = { ...meter, anchor: { ...changes, reported: inputTokens }, pending: void 0 };
  if (anchor === void 0 || sinceAnchor === void 0 || anchor.envelope.key !== pending.envelope.key) return next;
  const counted = inputTokens - (anchor.reported + sinceAnchor.lost);
  const growth2 = growth(sinceAnchor, weights3);
  if (!(growth2.estimated > 0)) return next;
  const known = calibration(meter, routeKey);
  const calibrations = sinceAnchor.lost === 0 ? new Map(meter.calibrations).set(routeKey, learn(known, growth2, counted)) : meter.calibrations;
  const answer3 = predict(known, growth2).reply;
  const { reply } = sinceAnchor;
  const entry = shared(
    growth2,
    counted,
    reply === void 0 || answer3 === void 0 ? void 0 : { seq: reply.seq, tokens: answer3 }
  );
  return {
    ...next,
    calibrations,
    ledger: entry === void 0 ? meter.ledger : add2(meter.ledger, { from: anchor.requestSeq, to: pending.requestSeq, weights: weights3, ...entry })
  };
};
var unreported = (meter) => meter.pending === void 0 ? meter : { ...meter, pending: void 0 };

// src/compaction/measure.ts
var bound = 3;
var measure = (state, estimator, envelope = state.envelope) => {
  const { meter, surface } = state;
  const weights3 = estimator.weights(envelope?.envelope.route ?? { provider: "unknown", model: "unknown" });
  const routeKey = envelope?.routeKey ?? "";
  const density3 = density2(meter, routeKey);
  const surfaceEstimate = sumBefore(surface, surface.length, weights3);
  const envelopeEstimate = envelope === void 0 ? 0 : tokens2(envelope.counts, weights3);
  const surfaceTokens = surfaceEstimate * density3;
  const since = envelope === void 0 ? void 0 : sinceReport(meter, weights3, envelope);
  const whole2 = { estimated: surfaceEstimate + envelopeEstimate };
  const { error, tokens: estimated } = predict(calibration(meter, routeKey), whole2);
  const surfaceDelta = since === void 0 ? surfaceTokens : since.delta;
  const total = Math.max(since === void 0 ? estimated : since.reported + since.delta, 0);
  const unsure = bound * (since === void 0 ? error : since.error);
  return {
    revision: state.revision,
    generation: surface.generation,
    baseline: envelope === void 0 ? "none" : since === void 0 ? "estimated" : "usage",
    surfaceDelta: Math.round(surfaceDelta),
    totalTokens: Math.round(total),
    upperTokens: Math.ceil(total + unsure),
    lowerTokens: Math.max(Math.floor(total - unsure), 0),
    surfaceTokens: Math.round(surfaceTokens),
    envelopeTokens: Math.round(envelopeEstimate * density3),
    surface
  };
};

// src/compaction/SessionFold.ts
import * as Either16 from "effect/Either";

// src/compaction/RouteFacts.ts
var refused = (facts, stated) => stated.limit === void 0 || stated.limit <= 0 || stated.limit < (facts.accepted ?? 0) ? facts : {
  ...facts,
  limit: stated.limit,
  ...stated.limitCounts === void 0 ? {} : { limitCounts: stated.limitCounts }
};
var accepted = (facts, inputTokens) => {
  if (inputTokens <= (facts.accepted ?? 0)) return facts;
  if (facts.limit === void 0 || facts.limit >= inputTokens) return { ...facts, accepted: inputTokens };
  const { limit: _limit, limitCounts: _limitCounts, ...kept } = facts;
  return { ...kept, accepted: inputTokens };
};

// src/compaction/SessionState.ts
var empty5 = (estimator) => ({
  revision: 0,
  opened: void 0,
  surface: empty(estimator.dimensions),
  meter: empty4(),
  envelope: void 0,
  routes: /* @__PURE__ */ new Map(),
  turn: -1,
  openTurn: void 0,
  suspendedTurn: void 0,
  step: -1,
  openStep: void 0,
  refusals: 0,
  refusal: void 0,
  openCompaction: void 0,
  newest: -1,
  lastPressure: void 0,
  resting: /* @__PURE__ */ new Map(),
  summaries: { calls: 0, landed: 0, usage: zero }
});
var weights2 = (state, estimator) => estimator.weights(state.envelope?.envelope.route ?? { provider: "unknown", model: "unknown" });
var routeFacts = (state, routeKey) => state.routes.get(routeKey) ?? {};
var sourceOf = (event) => event.type === "message/user" ? event.data.source : event.type === "message/assistant" ? "assistant" : "tool";
var countsOf = (stored, estimator, again) => stored.estimator === estimator.id ? stored.values : again();
var nodeOf = (event, estimator) => {
  const message = messageOf3(event);
  return {
    seq: event.seq,
    message,
    counts: countsOf(event.data.counts, estimator, () => estimator.message(message)),
    source: sourceOf(event)
  };
};
var shadowedBy = (surface, span) => nodes(
  surface,
  positionOf(surface, span.first) ?? 0,
  (positionOf(surface, span.last) ?? -1) + 1
);
var seen = (state) => ({
  newest: state.newest,
  envelopeKey: state.envelope?.key ?? ""
});

// src/compaction/SessionFold.ts
var withReport = (state, usage2, estimator) => {
  const { envelope } = state;
  if (envelope === void 0 || !isReported(usage2)) return state;
  const meter = reported(
    state.meter,
    usage2.inputTokens,
    measure(state, estimator).totalTokens,
    weights2(state, estimator),
    envelope.routeKey
  );
  const facts = accepted(routeFacts(state, envelope.routeKey), usage2.inputTokens);
  return { ...state, meter, routes: new Map(state.routes).set(envelope.routeKey, facts) };
};
var usageOf = (event) => event.type === "message/assistant" && event.data.interrupted !== true ? event.data.usage : void 0;
var surfaceEvent = (state, event, estimator) => {
  const node = nodeOf(event, estimator);
  if (event.data.replaces !== void 0) {
    return replacements(state, [{ ...event.data.replaces, node }], estimator);
  }
  const counted = event.type === "message/assistant" ? withReport(state, event.data.usage, estimator) : state;
  if (event.type === "message/assistant" && isEmpty(node.message)) {
    return Either16.right({ ...counted, revision: event.seq + 1, newest: event.seq });
  }
  const surface = append(counted.surface, node);
  if (Either16.isLeft(surface)) return Either16.left(surface.left);
  return Either16.right({
    ...counted,
    revision: event.seq + 1,
    newest: event.seq,
    surface: surface.right,
    meter: appended(counted.meter, node, usageOf(event))
  });
};
var replacements = (state, spans, estimator) => {
  const surface = replace(state.surface, spans);
  if (Either16.isLeft(surface)) return Either16.left(surface.left);
  const scale = weights2(state, estimator);
  const routeKey = state.envelope?.routeKey ?? "";
  let { meter, revision } = state;
  for (const span of spans) {
    const shadowed = shadowedBy(state.surface, span);
    if (span.sources !== void 0 && !sameSeqs(span.sources, shadowed)) {
      return Either16.left({
        reason: "no-such-node",
        detail: `seq ${span.node.seq} names other sources than the nodes from seq ${span.first} to ${span.last}`
      });
    }
    meter = replaced(meter, shadowed, span.node.counts, scale, routeKey);
    revision = Math.max(revision, span.node.seq + 1);
  }
  return Either16.right({ ...state, revision, surface: surface.right, meter });
};
var sameSeqs = (sources, nodes2) => sources.length === nodes2.length && nodes2.every((node, i) => sources[i] === node.seq);
var stepEnd = (state, { data }, estimator) => {
  const open = state.openStep;
  const closed = { ...state, openStep: void 0, meter: state.meter };
  if (data.outcome === "completed") {
    const counted = withReport(closed, data.usage, estimator);
    return { ...counted, meter: unreported(counted.meter), refusals: 0, refusal: void 0 };
  }
  const { envelope } = state;
  const next = { ...closed, meter: unreported(state.meter) };
  if (envelope === void 0 || open === void 0) return next;
  const facts = routeFacts(state, envelope.routeKey);
  if (data.outcome === "refused") {
    return {
      ...next,
      routes: new Map(state.routes).set(envelope.routeKey, refused(facts, data)),
      refusals: state.refusals + 1,
      refusal: {
        ...open,
        measured: measure(state, estimator).totalTokens,
        ...data.limit === void 0 ? {} : { limit: data.limit },
        ...data.requested === void 0 ? {} : { requested: data.requested }
      }
    };
  }
  return data.error?.tag === "RateLimited" && data.limit !== void 0 ? { ...next, routes: new Map(state.routes).set(envelope.routeKey, { ...facts, ceiling: data.limit }) } : next;
};
var compactionEnd = (state, data) => {
  const open = state.openCompaction;
  const next = { ...state, openCompaction: void 0 };
  if (open === void 0 || data.outcome === "interrupted") return next;
  const resting = new Map(state.resting);
  if (data.outcome === "landed" && data.targetMet !== false) resting.delete(open.trigger);
  else {
    resting.set(open.trigger, {
      times: (resting.get(open.trigger)?.times ?? 0) + 1,
      surface: totalCounts(state.surface),
      routeKey: state.envelope?.routeKey ?? ""
    });
  }
  return { ...next, resting, ...open.trigger === "pressure" ? { lastPressure: seen(state) } : {} };
};
var apply = (state, event, estimator) => {
  if (event.type !== "skipped" && isSurfaceBody(event)) {
    return surfaceEvent(state, event, estimator);
  }
  return Either16.right({ ...logOnly(state, event, estimator), revision: event.seq + 1 });
};
var logOnly = (state, event, estimator) => {
  switch (event.type) {
    case "session/opened":
      return { ...state, opened: { session: event.data.session, writer: event.data.writer } };
    case "turn/start": {
      const resumed = state.suspendedTurn === event.data.turn;
      return {
        ...state,
        turn: event.data.turn,
        openTurn: event.data.turn,
        suspendedTurn: void 0,
        step: resumed ? state.step : -1
      };
    }
    case "turn/end": {
      const suspended = event.data.outcome === "suspended";
      const next = { ...state, openTurn: void 0, suspendedTurn: suspended ? event.data.turn : void 0 };
      return event.data.settled === true ? next : { ...next, refusals: 0, refusal: void 0 };
    }
    case "step/start": {
      const open = { ...event.data, seq: event.seq };
      return {
        ...state,
        step: event.data.step,
        openStep: open,
        meter: state.envelope === void 0 ? state.meter : requested(state.meter, event.seq, state.envelope)
      };
    }
    case "step/end":
      return stepEnd(state, event, estimator);
    case "rescue/end":
      return event.data.turn === null && event.data.outcome === "declined" ? { ...state, refusals: 0, refusal: void 0 } : state;
    case "request/envelope": {
      const { envelope } = event.data;
      return {
        ...state,
        envelope: {
          envelope,
          key: key2(envelope),
          routeKey: key(envelope.route),
          counts: countsOf(event.data.counts, estimator, () => estimator.envelope(envelope))
        }
      };
    }
    case "compaction/start":
      return { ...state, openCompaction: event.data };
    case "compaction/call": {
      const { summaries } = state;
      return {
        ...state,
        summaries: {
          calls: summaries.calls + 1,
          landed: summaries.landed,
          usage: event.data.usage === void 0 ? summaries.usage : add(summaries.usage, event.data.usage)
        }
      };
    }
    case "compaction/prune":
      return event.data.trigger === "pressure" ? { ...state, lastPressure: seen(state) } : state;
    case "compaction/summary":
      return { ...state, summaries: { ...state.summaries, landed: state.summaries.landed + 1 } };
    case "compaction/end":
      return compactionEnd(state, event.data);
    default:
      return state;
  }
};

// src/cli/meterReplay.ts
var unknown = "unknown";
var routeOf = ({ model, provider }) => ({
  provider: provider ?? unknown,
  model: model ?? unknown
});
var envelopeOf = (session2, request2) => {
  const system2 = request2.system ?? session2.system;
  const tools = request2.tools ?? session2.tools;
  return {
    route: routeOf(request2),
    ...system2 === void 0 ? {} : { system: system2 },
    ...tools === void 0 ? {} : { tools }
  };
};
var feed = (played, estimator, body2) => {
  const event = { ...body2, seq: played.state.revision, time: 0 };
  const next = apply(played.state, event, estimator);
  if (Either17.isRight(next)) played.state = next.right;
  return Either17.isRight(next);
};
var bodyOf = (message, estimator) => {
  const counts = { estimator: estimator.id, values: estimator.message(message) };
  const [result] = toolResults(message);
  if (message.role === "tool" && result !== void 0) {
    const { content: content3, id, isError, name } = result;
    const data = { callId: id, name, content: content3, counts, ...isError === void 0 ? {} : { isError } };
    return { type: "message/tool-result", data };
  }
  return message.role === "assistant" ? { type: "message/assistant", data: { message, counts } } : { type: "message/user", data: { message, source: "prompt", counts } };
};
var tell = (played, estimator, message) => {
  played.seqs.set(message, played.state.revision);
  feed(played, estimator, bodyOf(message, estimator));
};
var fresh = (estimator) => ({
  state: empty5(estimator),
  seqs: /* @__PURE__ */ new Map(),
  told: 0,
  steps: 0
});
var checkpointOf = (head) => user(head.flatMap((message) => message.content));
var isOn = (played, message) => {
  const seq = played.seqs.get(message);
  return seq !== void 0 && positionOf(played.state.surface, seq) !== void 0;
};
var compact = (played, estimator, session2, { head, keptFrom }) => {
  const { state } = played;
  const nodes2 = nodes(state.surface);
  let same = 0;
  while (same < head.length && nodes2[same]?.message === head[same]) same++;
  const kept = session2.messages.slice(keptFrom, played.told).find((message2) => isOn(played, message2));
  const end = kept === void 0 ? nodes2.length : nodes2.findIndex((node) => node.message === kept);
  const [first, ...rest] = nodes2.slice(same, end).map((node) => node.seq);
  if (first === void 0) return;
  const message = checkpointOf(head.slice(same));
  const counts = { estimator: estimator.id, values: estimator.message(message) };
  const replaces = { first, last: rest.at(-1) ?? first, sources: [first, ...rest] };
  const body2 = { type: "message/user", data: { message, source: "checkpoint", counts, replaces } };
  played.seqs.set(message, state.revision);
  feed(played, estimator, body2);
};
var leastKept = 0.9;
var apartOf = (session2, request2, before, compacted2) => {
  if (request2.counted === "relay") return "relay";
  if (request2.model === void 0) return "no-model";
  if (before === void 0) return session2.visible === "full" ? void 0 : "first-count";
  if (!equals(routeOf(request2), routeOf(before))) return "other-model";
  if (compacted2) return "compacted";
  return request2.usage.inputTokens < before.usage.inputTokens * leastKept ? "fell" : void 0;
};
var rows = (session2, estimator) => {
  const played = fresh(estimator);
  const waiting = [...session2.compactions];
  const found = [];
  let before;
  for (const [index, request2] of session2.requests.entries()) {
    while (played.told < request2.at) tell(played, estimator, session2.messages[played.told++]);
    let compacted2 = false;
    while (waiting[0] !== void 0 && waiting[0].at <= request2.at) {
      compact(played, estimator, session2, waiting.shift());
      compacted2 = true;
    }
    const envelope = envelopeOf(session2, request2);
    const counts = { estimator: estimator.id, values: estimator.envelope(envelope) };
    if (played.state.envelope?.envelope !== envelope)
      feed(played, estimator, { type: "request/envelope", data: { envelope, counts } });
    const { totalTokens: mean, upperTokens: upper } = measure(played.state, estimator);
    const counted = request2.usage.inputTokens;
    const apart = apartOf(session2, request2, before, compacted2);
    found.push({
      place: request2.place,
      ...request2.model === void 0 ? {} : { route: format(routeOf(request2)) },
      reports: index,
      predicted: { mean, upper },
      counted,
      error: mean - counted,
      ...before === void 0 ? {} : { before: { counted: before.usage.inputTokens, output: before.usage.outputTokens } },
      ...apart === void 0 ? {} : { apart }
    });
    answer2(played, estimator, session2, request2, session2.requests[index + 1]?.at === request2.at);
    before = request2;
  }
  return found;
};
var answer2 = (played, estimator, session2, request2, again) => {
  const step = { turn: null, step: played.steps++ };
  const { usage: usage2 } = request2;
  feed(played, estimator, { type: "step/start", data: { ...step, generation: played.state.surface.generation } });
  const message = session2.messages[request2.at];
  if (message?.role === "assistant" && !again) {
    played.told++;
    played.seqs.set(message, played.state.revision);
    const counts = { estimator: estimator.id, values: estimator.message(message) };
    feed(played, estimator, { type: "message/assistant", data: { message, usage: usage2, counts } });
    feed(played, estimator, { type: "step/end", data: { ...step, outcome: "completed" } });
  } else feed(played, estimator, { type: "step/end", data: { ...step, outcome: "completed", usage: usage2 } });
};

// src/cli/meterReport.ts
var settled = 5;
var bands = [
  ["0", 0, 0],
  ["1", 1, 1],
  ["2 to 4", 2, 4],
  ["5 to 19", settled, 19],
  ["20 and more", 20, Infinity]
];
var sum = (rows2, of) => rows2.reduce((all2, row) => all2 + of(row), 0);
var percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
var errorsOf = (reports, rows2) => ({
  reports,
  rows: rows2.length,
  mean: sum(rows2, (row) => Math.abs(row.error) / row.counted) / rows2.length,
  p95: percentile(
    rows2.map((row) => Math.abs(row.error) / row.counted),
    0.95
  ),
  worstUnder: Math.max(0, ...rows2.map((row) => -row.error / row.counted)),
  upperMissed: rows2.filter((row) => row.counted > row.predicted.upper).length,
  upperSlack: sum(rows2, (row) => (row.predicted.upper - row.predicted.mean) / row.counted) / rows2.length
});
var meritOf = (rows2) => {
  const used = rows2.filter((row) => row.reports >= settled && row.before !== void 0);
  const grown2 = (row) => row.counted - (row.before?.counted ?? 0);
  const growth2 = sum(used, (row) => Math.abs(grown2(row)));
  if (growth2 === 0) return void 0;
  return {
    rows: used.length,
    growth: growth2,
    meter: sum(used, (row) => Math.abs(row.error)) / growth2,
    same: sum(used, (row) => Math.abs(grown2(row))) / growth2,
    plusOutput: sum(used, (row) => Math.abs(grown2(row) - (row.before?.output ?? 0))) / growth2
  };
};
var figures = (rows2) => {
  const comparable = rows2.filter((row) => row.apart === void 0);
  const reasons2 = [...new Set(rows2.flatMap((row) => row.apart ?? []))].toSorted();
  const apart = (reason) => rows2.filter((row) => row.apart === reason);
  const merit = meritOf(comparable);
  return {
    requests: rows2.length,
    comparable: comparable.length,
    apart: Object.fromEntries(reasons2.map((reason) => [reason, apart(reason).length])),
    errors: bands.flatMap(([name, from, to]) => {
      const band = comparable.filter(({ reports }) => reports >= from && reports <= to);
      return band.length === 0 ? [] : [errorsOf(name, band)];
    }),
    ...merit === void 0 ? {} : { merit },
    meritApart: Object.fromEntries(
      reasons2.flatMap((reason) => {
        const found = meritOf(apart(reason));
        return found === void 0 ? [] : [[reason, found]];
      })
    )
  };
};
var grouped = (sessions, key3, with_) => {
  const groups = /* @__PURE__ */ new Map();
  for (const session2 of sessions) {
    for (const row of session2.rows) {
      const name = key3(session2, row);
      const group = groups.get(name) ?? { words: with_(session2, row), rows: [] };
      group.rows.push(row);
      groups.set(name, group);
    }
  }
  return [...groups.values()].map(({ rows: rows2, words }) => ({ ...words, ...figures(rows2) }));
};
var routeOf2 = (row) => row.route ?? null;
var report = (estimator, sessions) => ({
  estimator,
  routes: grouped(
    sessions,
    (_, row) => String(routeOf2(row)),
    (_, row) => ({ route: routeOf2(row) })
  ),
  files: grouped(
    sessions,
    ({ file: file2 }, row) => JSON.stringify([file2, routeOf2(row)]),
    ({ file: file2 }, row) => ({ file: file2, route: routeOf2(row) })
  ),
  sessions
});

// src/cli/meterTable.ts
import Table from "cli-table3";
var style = { head: [], border: [] };
var percent = (share) => `${(100 * share).toFixed(2)} %`;
var whole = (value) => Math.round(value).toLocaleString("en-US");
var routeName = (route) => route ?? "(the file does not say)";
var meritCells = (merit) => merit === void 0 ? ["0", "", "", "", ""] : [
  whole(merit.rows),
  whole(merit.growth),
  merit.meter.toFixed(3),
  merit.same.toFixed(3),
  merit.plusOutput.toFixed(3)
];
var meritTable = (name, lines2) => {
  const table2 = new Table({
    style,
    head: [name, "rows", "growth", "meter", "same", "plus output"],
    colAligns: ["left", "right", "right", "right", "right", "right"]
  });
  table2.push(...lines2.map((line) => [line.name, ...meritCells(line.merit)]));
  return table2.toString();
};
var errorTable = (groups) => {
  const table2 = new Table({
    style,
    head: ["route", "reports before", "rows", "mean", "p95", "worst under", "upper missed", "slack"],
    colAligns: ["left", "left", "right", "right", "right", "right", "right", "right"]
  });
  for (const group of groups) {
    for (const errors of group.errors) {
      const { mean, p95, reports, rows: rows2, upperMissed, upperSlack, worstUnder } = errors;
      table2.push([
        routeName(group.route),
        reports,
        whole(rows2),
        percent(mean),
        percent(p95),
        percent(worstUnder),
        whole(upperMissed),
        percent(upperSlack)
      ]);
    }
  }
  return table2.toString();
};
var reasons = {
  "first-count": "the first count, of a session whose system prompt or tools are not in the file",
  "other-model": "another model counted before",
  compacted: "the tool compacted since the count before",
  fell: "the count fell by a tenth or more without a word in the file: text was dropped",
  relay: "a relay counted, not the provider",
  "no-model": "the file does not say which model answered"
};
var apartLines = (report2) => report2.files.flatMap(
  ({ apart, file: file2, meritApart, route }) => Object.entries(apart).map(([reason, count2]) => {
    const merit = meritApart[reason];
    const figure = merit === void 0 ? "" : ` (meter ${merit.meter.toFixed(3)}, same ${merit.same.toFixed(3)}, plus output ${merit.plusOutput.toFixed(3)})`;
    return `apart: ${file2}, ${routeName(route)}: ${count2}, ${reasons[reason] ?? reason}${figure}`;
  })
);
var render = (report2) => {
  if (report2.sessions.every(({ rows: rows2 }) => rows2.length === 0)) {
    return "no file holds what a provider counted, so there is nothing to hold the meter against";
  }
  const merits = (groups, name) => groups.flatMap((group) => group.merit === void 0 ? [] : [{ name: name(group), merit: group.merit }]);
  return [
    `sum of errors over sum of growth, after ${settled} reports (estimator ${report2.estimator}):`,
    meritTable(
      "route",
      merits(report2.routes, ({ route }) => routeName(route))
    ),
    meritTable(
      "file and route",
      merits(report2.files, ({ file: file2, route }) => `${file2}
${routeName(route)}`)
    ),
    "errors as shares of the counted input, by number of reports seen before:",
    errorTable(report2.routes),
    ...apartLines(report2)
  ].join("\n");
};

// src/cli/meter.ts
var metered = ({ file: file2, transcript: transcript2 }) => transcript2.sessions.map((session2) => ({
  file: file2,
  format: transcript2.format,
  session: session2.id,
  rows: rows(session2, classEstimator)
}));
var run = Effect2.fnUntraced(function* ({ format: format12, json: json3, transcripts }) {
  const sessions = yield* Effect2.forEach(
    transcripts,
    (path) => Effect2.map(read(path, format12), (read2) => read2.flatMap(metered))
  );
  const report2 = report(classEstimator.id, sessions.flat());
  yield* Console.log(json3 ? JSON.stringify(report2, void 0, 2) : render(report2));
});
var command = Command.make(
  "meter",
  {
    transcripts: Args.text({ name: "transcript" }).pipe(
      Args.withDescription(
        "A session file with the provider's usage in it, or a folder: of one session's files, or of several sessions."
      ),
      Args.atLeast(1)
    ),
    format: Options.text("format").pipe(
      Options.withPseudoName("name"),
      Options.withDescription("Read the files as this format, whatever their content looks like."),
      Options.optional,
      Options.map(Option.getOrUndefined)
    ),
    json: Options.boolean("json").pipe(
      Options.withDescription("Print every row and every figure as one JSON document on stdout.")
    )
  },
  run
).pipe(
  Command.withDescription(
    "Predicts each request of a recorded session before it was sent, and compares with what the provider counted: row by row, by number of reports seen before, and as error over growth beside predictors without a meter."
  )
);

// m.tmp.mts
import * as Command2 from "@effect/cli/Command";
import * as NodeContext from "@effect/platform-node/NodeContext";
import * as Effect3 from "effect/Effect";
Effect3.runPromise(Command2.run(command, { name: "x", version: "1" })(process.argv).pipe(Effect3.provide(NodeContext.layer)));
