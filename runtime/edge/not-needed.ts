/**
 * Replaces packages in the Worker's bundle that prom-client loads and the Worker never uses (`[alias]` in
 * wrangler.toml): `tdigest`, for summaries, and `@opentelemetry/api`, for the processor time of a process.
 */
export {}
