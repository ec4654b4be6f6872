import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { membersOf } from '../process/processes.ts'
import { openSandboxWorkspace, type SandboxWorkspace } from '../testing/sandbox-workspace.ts'
import { inSandbox } from '../testing/shell-modes.ts'

inSandbox('what a command inside says', () => {
  let place: SandboxWorkspace
  beforeEach(async () => {
    place = await openSandboxWorkspace()
  })
  afterEach(() => place.close())

  test('about variables apply inside, and never outside', async () => {
    await place.run('export A=1 PATH="$PWD/bin:$PATH" LD_PRELOAD="$PWD/evil.so" BASH_ENV=x')
    const inside = (await place.run('echo "$A ${PATH%%:*}"', 'read-only')).text
    expect(inside).toContain(`1 ${place.workspace}/bin\n`)
    // From the shell inside, not from its launcher.
    expect(inside.match(/ERROR: ld\.so/g)?.length ?? 1).toBe(1)
    const { text } = await place.run('echo "[$A] [$LD_PRELOAD] $PATH"', 'none')
    expect(text).toMatch(/^\[\] \[\] /)
    expect(text).not.toContain(place.workspace)
  })

  test('about variables are undone and changed from both sides', async () => {
    await place.run('export A=outside B=outside', 'none')
    expect((await place.run('echo "$A $B"; export A=inside; unset B')).text).toBe('outside outside\n')
    expect((await place.run('echo "$A [$B]"')).text).toBe('inside []\n')
    expect((await place.run('echo "$A $B"; export B=again C=new', 'none')).text).toBe('outside outside\n')
    expect((await place.run('echo "$A $B $C"')).text).toBe('inside again new\n')
  })

  test('to loaders do not affect the sandbox’s own process', async () => {
    await place.run('export LD_LIBRARY_PATH="$PWD/lib" LD_DEBUG_OUTPUT="$PWD/debug" GLIBC_TUNABLES=x=y ORDINARY=1')
    const running = place.run('echo "$LD_LIBRARY_PATH"; until [ -e go ]; do sleep 0.02; done')
    const members = () => membersOf({ mark: `${place.state.tasks.mark}.` }, { fresh: true })
    await vi.waitUntil(() => members().length > 2)
    const first = members().find(({ pid, group }) => pid === group)!
    const environment = readFileSync(`/proc/${first.pid}/environ`, 'utf8')
    expect(environment).toContain('ORDINARY=1')
    expect(environment).not.toMatch(/LD_|GLIBC/)
    place.file(path.join(place.workspace, 'go'), '')
    expect((await running).text).toBe(`${place.workspace}/lib\n`)
  })

  test('about its folder is believed only of folders in the workspace', async () => {
    symlinkSync('/etc', path.join(place.workspace, 'link'))
    await place.run('link=$PWD/link; trap - EXIT; printf "%s\\n\\0\\0" "$link" >&219; exec true')
    expect(place.state.cwd).toBe(place.workspace)
    await place.run('trap - EXIT; printf "/etc\\n\\0\\0" >&219; exec true')
    expect(place.state.cwd).toBe(place.workspace)
    mkdirSync(path.join(place.workspace, 'sub'))
    await place.run('cd sub')
    expect(place.state.cwd).toBe(path.join(place.workspace, 'sub'))
  })
})
