import { describe } from 'vitest'
import { findSandbox } from '../sandbox/find-sandbox.ts'
import type { ShellMode } from './test-shell.ts'

const { sandbox, text, fix } = await findSandbox()

/** Declares tests that need a sandbox. Where there is none they are skipped, and their name says why. */
export function inSandbox(name: string, tests: (way: ShellMode) => void): void {
  const why = sandbox === undefined ? ` (skipped. ${text}${fix === undefined ? '' : ` Fix: ${fix}`})` : ''
  describe.skipIf(sandbox === undefined)(name + why, () => {
    tests({ confinement: 'workspace', sandbox })
  })
}

/** Declares the same tests twice: commands behave the same without a sandbox and inside it. */
export function withAndWithoutSandbox(tests: (way: ShellMode) => void): void {
  describe('without a sandbox', () => {
    tests({ confinement: 'none' })
  })
  inSandbox('in the sandbox', tests)
}
