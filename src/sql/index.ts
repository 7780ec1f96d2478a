/**
 * Logs in a database: `@effect/sql` is a peer that only this entry point needs. The driver is the application's:
 * `@effect/sql-sqlite-node`, `@effect/sql-pg` or another for SQLite or PostgreSQL.
 *
 * @since 0.1.0
 */
export * as SqlLogStore from "./SqlLogStore.ts"
