// Debian's browser, driven from here. Where there is none, tests that need it skip themselves with a message.
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const executablePath = "/usr/bin/chromium"

export const missing = existsSync(executablePath)
  ? undefined
  : "chromium is not on this machine (apt-get install chromium)"

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })
