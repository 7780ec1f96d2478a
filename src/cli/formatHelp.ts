/**
 * What `--format` says of itself.
 *
 * @since 0.1.0
 */

/**
 * The names are written out, since help loads no decoder; a test holds them against `Formats.all`.
 *
 * @since 0.1.0
 * @category constants
 */
export const names: ReadonlyArray<string> = [
  "session-log",
  "pi-session",
  "dsh-session",
  "claude-code",
  "codex-rollout",
  "swe-agent-llm-log",
  "cline-sdk",
  "opencode-rows",
  "aider-md",
  "specstory-md",
  "mini-swe-agent",
  "swe-agent-traj",
  "openhands-llm-log",
  "openhands-events",
  "roo-task",
  "gemini-cli-chat",
  "gemini-contents",
  "langgraph-stream",
  "langchain",
  "ai-sdk-ui",
  "ai-sdk-model",
  "anthropic-messages",
  "openai-chat"
]

/**
 * @since 0.1.0
 * @category constructors
 */
export const formatHelp = (what: string): string =>
  `Read the ${what} as this format, whatever the content looks like: ${names.join(", ")}.`

/**
 * Those that are written too; held against `Formats.written` by a test.
 *
 * @since 0.1.0
 * @category constants
 */
export const written: ReadonlyArray<string> = [
  "openai-chat",
  "anthropic-messages",
  "ai-sdk-model",
  "session-log",
  "claude-code",
  "pi-session"
]

/**
 * What the `--format` of what is written says of itself.
 *
 * @since 0.1.0
 * @category constants
 */
export const writtenHelp = `Write this format: ${written.join(", ")}. Default: the one that was read, or openai-chat where that one is only read.`
