import { describe } from 'vitest'
import { findSandbox } from '../sandbox/find-sandbox.ts'
import type { ShellMode } from './test-shell.ts'

const { sandbox, text, fix } = await findSandbox()

/** Declares tests that need a sandbox. Without one they are skipped, with the reason in their name. */
export function inSandbox(name: string, tests: (way: ShellMode) => void): void {
  const why = sandbox === undefined ? ` (skipped. ${text}${fix === undefined ? '' : ` Fix: ${fix}`})` : ''
  describe.skipIf(sandbox === undefined)(name + why, () => {
    tests({ confinement: 'workspace', sandbox })
  })
}

/** Declares the same tests with and without a sandbox, since commands must behave the same. */
export function withAndWithoutSandbox(tests: (way: ShellMode) => void): void {
  describe('without a sandbox', () => {
    tests({ confinement: 'none' })
  })
  inSandbox('in the sandbox', tests)
}
