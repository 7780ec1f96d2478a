// The texts of the fit: pieces of the size of messages, by class, apart in training, check and hold-out.
//
// Training and check are different files of the same packages. The hold-out is text of packages that the fit has not seen;
// for what is generated, in layouts that it has not seen; for the scripts that one package alone has, another part of it.
import { catalogueText, filesOf, hash, manualText, mostly, pageText, randomFrom, read } from "./files.mjs"
import { generated } from "./generated.mjs"
import { cache } from "./sources.mjs"

/** A seed: which third of the files is for checking goes by it and their names. The shipped weights were fitted with this one. */
const split = "/tmp/effect-compaction-fit"

const identity = (text) => text
const npm = (name, pattern, limit, change = identity) =>
  filesOf("npm", name, pattern, limit).map((file) => ({ file, text: () => change(read(file)) }))
const debian = (name, pattern, limit, change = identity) =>
  filesOf("debian", name, pattern, limit).map((file) => ({ file, text: () => change(read(file)) }))

const mapText =
  (change) =>
  ({ file, text }) => ({ file, text: () => change(text()) })

/** Files that are large and few enough to be cut into training and check themselves. */
const whole = (documents) => documents.map((document) => ({ ...document, whole: true }))

const handbook = (language, script) =>
  debian("debian-handbook", new RegExp(`/html/${language}/.*html$`), 60, cleaned(script))
const gnome = (language, script) =>
  debian("gnome-user-docs", new RegExp(`/help/${language}/.*page$`), 250, cleaned(script))
const office = (language, script) => debian(`libreoffice-help-${language}`, /\.html$/, 500, cleaned(script))
const installation = (language, script) =>
  debian("installation-guide-amd64", new RegExp(`guide-amd64/${language}/.*html$`), 90, cleaned(script))
const manuals = (language, limit = 200) =>
  debian(`manpages-${language}`, /\.gz$/, limit, (roff) => translated(manualText(roff)))
const fortunes = (language) => debian(`fortunes${language}`, /games\/fortunes\/(off\/|pl\/)?[a-z-]+$/, 50)
/** Lines with a letter that English has not, or of no more than a few words: what is not translated says nothing. */
const translated = (text) =>
  text
    .split("\n")
    .filter((line) => /[\u00c0-\u024f\u1ea0-\u1eff]/.test(line) || line.length < 20)
    .join("\n")
const cleaned = (script) => (script === undefined ? pageText : (html) => mostly(script)(pageText(html)))

const catalogues = (languages, script, folder = "") =>
  filesOf("debian", "python3-django", new RegExp(`/${folder}.*/locale/(${languages})/.*django\\.mo$`), 300).map(
    (file) => ({
      file,
      text: () => mostly(script)(catalogueText(file))
    })
  )

const scripts = {
  chinese: /[\u3400-\u9fff]/g,
  japanese: /[\u3040-\u30ff\u3400-\u9fff]/g,
  korean: /[\uac00-\ud7af]/g,
  cyrillic: /[\u0400-\u04ff]/g,
  arabic: /[\u0600-\u06ff]/g,
  hebrew: /[\u0590-\u05ff]/g,
  devanagari: /[\u0900-\u097f]/g,
  greek: /[\u0370-\u03ff]/g,
  khmer: /[\u1780-\u17ff]/g,
  rare: new RegExp(
    `[${["Armenian", "Bengali", "Devanagari", "Georgian", "Gujarati", "Gurmukhi", "Kannada", "Malayalam", "Myanmar", "Tamil", "Telugu", "Thai"].map((name) => `\\p{Script=${name}}`).join("")}]`,
    "gu"
  )
}

const longLines = (text) => (text.length / text.split("\n").length > 400 ? text : "")
const oneLine = (text) => JSON.stringify(JSON.parse(text)).slice(0, 1_000_000)
const indented = (text) => JSON.stringify(JSON.parse(text), null, 2).slice(0, 1_000_000)
const toolCall = (text) => JSON.stringify({ tool: "write_file", path: "src/a.ts", content: text.slice(0, 20_000) })
const escaped = (text) =>
  JSON.stringify({ text }).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const rareLanguages = "ka|hy|bn|ml|th|kn|my|ta|te|pa|ne"

/** Each class: what it is fitted to and checked with, and what is held out. */
const classes = {
  english: [
    () => [
      ...handbook("en-US"),
      ...gnome("C"),
      ...debian("doc-debian", /\.(txt|gz)$/, 40),
      ...debian("manpages", /man7/, 170, manualText)
    ],
    () => [...fortunes(""), ...installation("en")]
  ],
  german: [() => [...handbook("de-DE"), ...manuals("de")], () => [...fortunes("-de"), ...installation("de")]],
  french: [() => [...handbook("fr-FR"), ...manuals("fr")], () => installation("fr")],
  spanish: [() => [...handbook("es-ES"), ...manuals("es")], () => [...fortunes("-es"), ...installation("es")]],
  polish: [() => [...manuals("pl"), ...gnome("pl").map(mapText(translated))], () => fortunes("-pl")],
  vietnamese: [() => [...manuals("vi"), ...office("vi").map(mapText(translated))], () => installation("vi")],
  other_latin: [
    () => [
      ...handbook("pt-BR"),
      ...manuals("tr", 60),
      ...manuals("cs", 60),
      ...["fi", "cs", "hu", "ro"].flatMap((language) => gnome(language).slice(0, 60).map(mapText(translated)))
    ],
    () => [...installation("cs"), ...installation("sv"), ...installation("nl"), ...installation("ro")]
  ],
  russian: [
    () => [
      ...handbook("ru-RU", scripts.cyrillic),
      ...debian("manpages-ru", /\.gz$/, 300, (text) => mostly(scripts.cyrillic)(manualText(text)))
    ],
    () => [...fortunes("-ru"), ...installation("ru", scripts.cyrillic)]
  ],
  other_cyrillic: [
    () => [...gnome("uk", scripts.cyrillic), ...gnome("sr", scripts.cyrillic)],
    () => catalogues("uk|sr|bg|be|mk", scripts.cyrillic)
  ],
  greek: [
    () => gnome("el", scripts.greek),
    () => [...installation("el", scripts.greek), ...catalogues("el", scripts.greek)]
  ],
  chinese: [
    () => [...handbook("zh-CN", scripts.chinese), ...gnome("zh_CN", scripts.chinese)],
    () => [
      ...installation("zh_CN", scripts.chinese),
      ...debian("fortunes-zh", /fortunes\/chinese$/, 1, mostly(scripts.chinese))
    ]
  ],
  chinese_traditional: [
    () => office("zh-tw", scripts.chinese),
    () => [...handbook("zh-TW", scripts.chinese), ...catalogues("zh_Hant", scripts.chinese)]
  ],
  chinese_mixed: [
    () => debian("manpages-zh", /zh_CN.*\.gz$/, 300, manualText),
    () => debian("debian-reference-zh-cn", /\.html$/, 60, pageText)
  ],
  japanese: [
    () => [...handbook("ja-JP", scripts.japanese), ...gnome("ja", scripts.japanese)],
    () => installation("ja", scripts.japanese)
  ],
  japanese_mixed: [
    () => debian("manpages-ja", /\.gz$/, 300, manualText),
    () => debian("debian-reference-ja", /\.html$/, 60, pageText)
  ],
  korean: [
    () => [...office("ko", scripts.korean), ...gnome("ko", scripts.korean)],
    () => installation("ko", scripts.korean)
  ],
  arabic: [
    () => [...handbook("ar-MA", scripts.arabic), ...handbook("fa-IR", scripts.arabic)],
    () => catalogues("ar|fa", scripts.arabic)
  ],
  hebrew: [() => catalogues("he", scripts.hebrew, "contrib"), () => catalogues("he", scripts.hebrew, "conf")],
  hindi: [
    () => office("hi", scripts.devanagari),
    () => [...gnome("hi", scripts.devanagari), ...catalogues("hi", scripts.devanagari)]
  ],
  khmer: [() => office("km", scripts.khmer), () => catalogues("km", scripts.khmer)],
  rare_scripts: [
    () => [
      ...["gu", "kn", "mr", "pa", "ta", "te"].flatMap((language) => gnome(language, scripts.rare).slice(0, 12)),
      ...catalogues(rareLanguages, scripts.rare, "contrib")
    ],
    () => catalogues(rareLanguages, scripts.rare, "conf")
  ],
  markdown: [
    () => [
      ...npm("effect", /\.md$/, 40),
      ...npm("openai", /\.md$/, 20),
      ...npm("react-native", /\.md$/, 20),
      ...npm("node-gyp", /\.md$/, 20),
      ...npm("rxjs", /\.md$/, 5)
    ],
    () =>
      ["vite", "ai", "webpack", "three", "zod", "express", "node-addon-api", "eslint", "antd"].flatMap((name) =>
        npm(name, /\.md$/, 9)
      )
  ],
  typescript: [
    () => [...npm("rxjs", /src.*\.ts$/, 80), ...npm("effect", /src.*\.ts$/, 80), ...npm("openai", /src.*\.ts$/, 60)],
    () => [...npm("ai", /\.tsx?$/, 90), ...npm("zod", /src.*\.ts$/, 60)]
  ],
  declarations: [
    () => [...npm("@types/node", /\.d\.ts$/, 60), ...npm("drizzle-orm", /\.d\.ts$/, 90)],
    () => [...npm("echarts", /\.d\.ts$/, 60), ...npm("antd", /es.*\.d\.ts$/, 90)]
  ],
  javascript: [
    () => [
      ...npm("lodash", /\.js$/, 60),
      ...npm("webpack", /lib.*\.js$/, 80),
      ...npm("three", /src.*\.js$/, 80),
      ...npm("express", /\.js$/, 9)
    ],
    () => [...npm("eslint", /lib.*\.js$/, 80), ...npm("moment", /src.*\.js$/, 80), ...npm("node-gyp", /lib.*\.js$/, 20)]
  ],
  minified: [
    () => ["lodash", "bootstrap", "rxjs", "three", "moment"].flatMap((name) => npm(name, /\.min\.js$/, 9, longLines)),
    () => [...npm("echarts", /\.min\.js$/, 6, longLines), ...npm("antd", /\.min\.js$/, 2, longLines)]
  ],
  styles: [
    () => npm("bootstrap", /\.(css|scss)$/, 60, (text) => text.slice(0, 60_000)),
    () => npm("element-plus", /\.(css|scss)$/, 90)
  ],
  python: [() => debian("python3-django", /\.py$/, 200), () => npm("node-gyp", /\.py$/, 50)],
  c: [() => npm("react-native", /ReactCommon.*\.(h|cpp|cc|c)$/, 160), () => npm("node-addon-api", /\.h$/, 9)],
  java: [
    () => npm("react-native", /ReactAndroid.*\.(java|kt)$/, 140),
    () => npm("react-native", /React\/.*\.(m|mm)$/, 80)
  ],
  go: [
    () => debian("golang-golang-x-net-dev", /\.go$/, 120),
    () => debian("golang-github-spf13-cobra-dev", /\.go$/, 40)
  ],
  rust: [
    () => [...debian("librust-regex-dev", /\.rs$/, 60), ...debian("librust-clap-dev", /\.rs$/, 60)],
    () => debian("librust-serde-dev", /\.rs$/, 60)
  ],
  ruby_php: [() => debian("ruby-rack", /\.rb$/, 100), () => debian("php-symfony-console", /\.php$/, 90)],
  html: [
    () => debian("debian-handbook", /\/(en-US|fr-FR)\/.*\.html$/, 40),
    () => debian("installation-guide-amd64", /guide-amd64\/(en|es)\/.*html$/, 40)
  ],
  json: [
    () => [
      ...whole(npm("@mdn/browser-compat-data", /data\.json$/, 1, indented)),
      ...npm("react-native", /\.json$/, 90),
      ...npm("effect", /\.json$/, 5)
    ],
    () => [
      ...npm("mime-db", /db\.json$/, 1, indented),
      ...npm("eslint", /\.json$/, 9),
      ...npm("echarts", /package\.json$/, 9),
      ...npm("webpack", /\.json$/, 40)
    ]
  ],
  json_one_line: [
    () => [
      ...whole(npm("@mdn/browser-compat-data", /data\.json$/, 1, oneLine)),
      ...npm("webpack", /\.json$/, 30, oneLine)
    ],
    () => [...npm("mime-db", /db\.json$/, 1, oneLine), ...npm("emojibase-data", /\/(de|fr)\/data\.json$/, 2, oneLine)]
  ],
  json_tool_call: [
    () => npm("effect", /src.*\.ts$/, 80, toolCall),
    () => [...npm("zod", /src.*\.ts$/, 60, toolCall), ...npm("node-gyp", /\.py$/, 20, toolCall)]
  ],
  json_unicode_escapes: [
    () => handbook("zh-CN", scripts.chinese).map(mapText(escaped)),
    () => installation("ru", scripts.cyrillic).map(mapText(escaped))
  ],
  ...generated
}

/** Bytes of one class in each part. */
const most = { training: 320_000, check: 120_000, holdOut: 160_000 }
/** A single file does not make up a class. */
const mostOfFile = 60_000

/** Lengths are spread evenly over their logarithm, from a short answer to a long tool result. */
const shortest = 400
const longest = 16_000

function* piecesOf(text, random) {
  for (let at = 0; at + 250 < text.length;) {
    let end = at + Math.round(shortest * Math.pow(longest / shortest, random()))
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end++
    yield text.slice(at, end).toWellFormed()
    at = end
  }
}

/** `{ name, part, text }` for every piece. */
export const corpus = () => {
  const pieces = []
  for (const [name, [fitted, heldOut]] of Object.entries(classes)) {
    const used = { training: 0, check: 0, holdOut: 0 }
    const random = randomFrom(hash(name))
    const take = (document, holdOut) => {
      const text = document.text()
      const whole = document.whole === true
      let count = 0
      for (const piece of piecesOf(whole ? text : text.slice(0, mostOfFile), random)) {
        // a class of one file is cut into blocks that take turns
        const third = whole ? Math.floor(count++ / 8) % 3 === 2 : hash(document.file.replace(cache, split)) % 3 === 2
        const part = holdOut ? "holdOut" : third ? "check" : "training"
        if (used[part] >= most[part]) continue
        used[part] += Buffer.byteLength(piece)
        pieces.push({ name, part, text: piece })
      }
    }
    for (const document of fitted()) take(document, false)
    for (const document of heldOut()) take(document, true)
  }
  return pieces
}
