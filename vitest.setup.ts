import { afterEach, vi } from 'vitest'

// The files of a worker share one process. Undone only before the next test, a variable that the last test of a file
// set would reach the setup of the next file.
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})
