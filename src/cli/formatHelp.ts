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
  "openai-chat",
  "anthropic-messages",
  "ai-sdk-model",
  "ai-sdk-ui",
  "session-log",
  "claude-code",
  "codex-rollout",
  "pi-session",
  "dsh-session",
  "swe-agent-llm-log",
  "swe-agent-traj",
  "mini-swe-agent",
  "openhands-llm-log",
  "openhands-events",
  "roo-task",
  "opencode-rows",
  "gemini-cli-chat",
  "gemini-contents",
  "langchain",
  "langgraph-stream",
  "aider-md",
  "specstory-md"
]

/**
 * @since 0.1.0
 * @category constructors
 */
export const formatHelp = (what: string): string =>
  `Read the ${what} as this format, whatever the content looks like: ${names.join(", ")}.`
