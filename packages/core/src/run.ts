/** Runs and their dependencies, without the built-in tools. */
export { addUsage } from './model/check-answer.ts'
export type { RunInput } from './run/run-input.ts'
export { run } from './run/run.ts'
export { createMemoryAsks } from './store/memory.ts'
export { toJson } from './tool/parse-call.ts'
