import { expect, test } from 'vitest'
import { childEnvironment, exportedVariables } from './child-environment.ts'

test('only the listed names are passed on', () => {
  const env = childEnvironment({
    PATH: '/bin',
    HOME: '/home/x',
    LANG: 'C',
    LC_TIME: 'de_DE',
    TMPDIR: '/t',
    USER: 'x',
    SHELL: '/bin/zsh',
    TERM: 'xterm-256color',
    ANTHROPIC_API_KEY: 'secret',
    TROUPE_HOME: '/h',
    TROUPE_TOKEN: 'secret',
    NODE_OPTIONS: '--inspect',
    LD_PRELOAD: 'x.so',
  })
  expect(env).toEqual({
    PATH: '/bin',
    HOME: '/home/x',
    LANG: 'C',
    LC_TIME: 'de_DE',
    TMPDIR: '/t',
    USER: 'x',
    SHELL: '/bin/zsh',
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
  })
})

test.each([
  ['/bin:.:/usr/bin::node_modules/.bin:../x', '/bin:/usr/bin'],
  ['.', '/usr/local/bin:/usr/bin:/bin'],
  [undefined, '/usr/local/bin:/usr/bin:/bin'],
])('of the PATH %j only whole folders are passed on', (given, left) => {
  expect(childEnvironment({ PATH: given })['PATH']).toBe(left)
})

test('exported variables are kept unless the shell keeps them itself or they are too long', () => {
  const exported = {
    PATH: '/bin',
    NEW: '1',
    LANG: 'C',
    SHLVL: '2',
    BASH_ENV: '/evil',
    LONG: 'x'.repeat(200_000),
    _: 'env',
  }
  expect(exportedVariables(exported, { PATH: '/bin', LANG: 'en' })).toEqual({
    env: { NEW: '1', LANG: 'C' },
    dropped: ['LONG'],
  })
})
