import { describe, expect, test } from 'vitest'
import { openSandboxWorkspace } from '../testing/sandbox-workspace.ts'
import { inSandbox } from '../testing/shell-modes.ts'
import { openTestShell } from '../testing/test-shell.ts'
import bash from '../tools/bash.ts'
import taskOutput from '../tools/task-output.ts'
import { sandboxAdvice } from './task-display.ts'

describe('advice about a failure', () => {
  const roots = ['/work/project']

  test.each([
    ["touch: cannot touch 'x': Read-only file system", 'read-only', '"writes": true'],
    ["Error: EROFS: read-only file system, open '/x'", 'workspace', 'only the workspace and /tmp are writable'],
    ['curl: (6) Could not resolve host: example.com', 'workspace', 'no network'],
    [
      "npm error request failed: cache mode is 'only-if-cached' but no cached response is available",
      'workspace',
      'no network',
    ],
    ['npm error code EAI_AGAIN', 'workspace', '"outside_sandbox": true'],
    ['connect ECONNREFUSED 127.0.0.1:3000', 'read-only', 'cannot reach servers'],
    ['cat: .env: Permission denied', 'workspace', 'Files with secrets'],
    ["Error: EACCES: permission denied, open '/work/project/.env'", 'workspace', 'Files with secrets'],
    ['cat: /home/me/notes.txt: No such file or directory', 'workspace', 'no home folder'],
    ["ENOENT: no such file or directory, open '/home/me/x'", 'workspace', 'no home folder'],
    ['head: error writing: File too large', 'workspace', '1 GB'],
  ] as const)('%s', (printed, confinement, said) => {
    expect(sandboxAdvice(printed, confinement, { roots }).join()).toContain(said)
  })

  test.each([
    '1 test failed',
    'cat: missing.txt: No such file or directory',
    'cat: /work/project/missing.txt: No such file or directory',
    './run.sh: Permission denied',
    '',
  ])('none about "%s"', (printed) => {
    expect(sandboxAdvice(printed, 'workspace', { roots })).toEqual([])
  })

  test('is not given outside the sandbox', () => {
    expect(sandboxAdvice('Read-only file system', 'none', { roots })).toEqual([])
  })
})

inSandbox('the model is told', () => {
  test('explains how to write, or where not to', async () => {
    const place = await openSandboxWorkspace()
    expect((await place.run('touch x', 'read-only')).modelText).toContain('run it again with "writes": true')
    expect((await place.run('touch /usr/x')).modelText).toContain('only the workspace and /tmp are writable')
    expect(
      (await place.run('getent hosts example.com || { echo "could not resolve host"; false; }')).modelText,
    ).toContain('no network')
    expect((await place.run('false')).modelText).toMatch(/^Exit code 1 after .* It printed nothing\.$/)
    expect((await place.run('echo Read-only file system')).modelText).not.toContain('sandbox')
    await place.close()
  })

  test('applies to background commands, too', async () => {
    const shell = openTestShell(await way())
    const { output } = await shell.call(bash, { command: 'touch /usr/x', run_in_background: true })
    await shell.state.tasks.get(output.taskId!)!.ended
    expect((await shell.call(taskOutput, { task_id: output.taskId })).text).toContain('"outside_sandbox": true')
    await shell.close()
  })

  async function way() {
    const { findSandbox } = await import('../sandbox/find-sandbox.ts')
    return { confinement: 'workspace' as const, ...(await findSandbox()) }
  }
})

test('a command that needs the sandbox does not run without one', async () => {
  const shell = openTestShell({ confinement: 'read-only' })
  await expect(shell.call(bash, { command: 'echo hello' })).rejects.toThrow(
    'no sandbox is available, so it did not run',
  )
  await shell.close()
})
