import type { Sandbox } from '@troupe/core'
import { expect, it } from 'vitest'
import { warnAboutProtection } from './serve.ts'

const none = { text: 'bubblewrap is not installed.', fix: 'Install it: apt install bubblewrap' }
const some = { sandbox: {} as Sandbox, text: 'bubblewrap confines commands.' }

function told(isTTY: boolean, given: Parameters<typeof warnAboutProtection>[1], env: NodeJS.ProcessEnv = {}): string {
  let text = ''
  const stderr = { isTTY, write: (more: string) => ((text += more), true) } as unknown as NodeJS.WriteStream
  warnAboutProtection({ stderr, env }, given)
  return text
}

it('prints nothing if commands are sandboxed and everything needs approval', () => {
  expect(told(true, { sandbox: some, allowBypass: false })).toBe('')
})

it('prints that there is no sandbox, the reason and the fix', () => {
  const text = told(false, { sandbox: none, allowBypass: false })
  expect(text).toContain('troupe: NO SANDBOX: bubblewrap is not installed. Install it: apt install bubblewrap\n')
})

it('prints that bypass is allowed, in red on a terminal and plainly in a file', () => {
  const colored = told(true, { sandbox: some, allowBypass: true })
  expect(colored.indexOf('\u001b[31m')).toBeGreaterThan(-1)
  expect(colored.indexOf('\u001b[31m')).toBeLessThan(colored.indexOf('BYPASS IS ALLOWED'))
  for (const plain of [
    told(false, { sandbox: some, allowBypass: true }),
    told(true, { sandbox: some, allowBypass: true }, { NO_COLOR: '1' }),
  ]) {
    expect(plain).toMatch(/^troupe: BYPASS IS ALLOWED/)
    expect(plain).not.toContain('\u001b')
  }
})
