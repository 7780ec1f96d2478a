import { spawnSync } from "node:child_process"

/** Whether tmux is there; who skips without it says so. */
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

let servers = 0

/**
 * A terminal of its own, driven by tmux on a socket of its own: what is typed goes in, what a person would see comes out.
 * Waits are for what the screen shows.
 */
export const terminal = (options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }) => {
  const socket = `effect-compaction-test-${process.pid}-${servers++}`
  const tmux = (...words: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = spawnSync("tmux", ["-L", socket, "-f", "/dev/null", ...words], {
      encoding: "utf8",
      timeout: 20_000
    })
    if (status !== 0) throw new Error(`tmux ${words.join(" ")}: ${stderr}`)
    return stdout
  }
  /** All that was ever shown, without the breaks of lines that were too long. */
  const shown = () => tmux("capture-pane", "-p", "-J", "-S", "-2000").trimEnd()
  return {
    /** The same with its colours. */
    coloured: () => tmux("capture-pane", "-p", "-e"),
    /** The status of what ran is shown when it has ended. */
    start: (command: ReadonlyArray<string>) => {
      const variables = Object.entries(options.env).map(([name, value]) => quoted(`${name}=${value}`))
      const line = `env ${variables.join(" ")} ${command.map(quoted).join(" ")}; echo "ended with $?"; exec cat`
      tmux("new-session", "-d", "-x", "100", "-y", "50", "-c", options.cwd, "sh", "-c", line)
    },
    type: (line: string) => {
      tmux("send-keys", "-l", line)
      tmux("send-keys", "Enter")
    },
    /** As a terminal does that marks what is pasted for who wants it. */
    paste: (text: string) => {
      tmux("set-buffer", text)
      tmux("paste-buffer", "-p", "-d")
    },
    press: (key: string) => void tmux("send-keys", key),
    shown,
    /** Waits until the screen shows `what`, at most half a minute; fails with the screen. */
    until: async (what: RegExp): Promise<string> => {
      for (let waited = 0; waited < 300; waited++) {
        const screen = shown()
        if (what.test(screen)) return screen
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      throw new Error(`the screen never showed ${what}:\n${shown()}`)
    },
    /** Ends it, and everything in it, in any case. */
    close: () => void spawnSync("tmux", ["-L", socket, "kill-server"])
  }
}
