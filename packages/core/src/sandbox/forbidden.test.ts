import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decide } from '../permission/decide.ts'
import { createPolicy } from '../permission/policy.ts'
import { canary, openSandboxWorkspace, type SandboxWorkspace } from '../testing/sandbox-workspace.ts'
import { inSandbox } from '../testing/shell-modes.ts'
import { checkTool } from '../tool/tool.ts'
import bash from '../tools/bash.ts'

inSandbox('what a deny rule forbids', () => {
  let place: SandboxWorkspace
  beforeAll(async () => {
    place = await openSandboxWorkspace()
    for (const name of [
      'secrets/a.txt',
      'secrets/deep/b.txt',
      'data/x.private',
      'data/private/c',
      'kept/z',
      'node_modules/p/y.private',
    ])
      place.file(path.join(place.workspace, name))
    place.file(path.join(place.workspace, 'open.txt'), 'open\n')
    place.file(path.join(place.workspace, 'locked/l.txt'), 'locked\n')
    symlinkSync('kept', path.join(place.workspace, 'alias'))
    symlinkSync('secrets/a.txt', path.join(place.workspace, 'link'))
    execFileSync('git', ['init', '-q'], { cwd: place.workspace })
  })
  afterAll(() => place.close())

  const rules = {
    allow: ['Bash'],
    deny: [
      'Read(secrets/**)',
      'Read(*.private)',
      'Read(data/private/**)',
      'Read(./alias/**)',
      'Read(//etc/passwd)',
      'Edit(locked/**)',
    ],
  }
  async function ran(command: string, mode: 'default' | 'accept-edits' = 'default'): Promise<string> {
    const input = bash.input.parse({ command })
    const policy = createPolicy(rules, {
      sandbox: true,
      mode,
      home: place.home,
      troupeHome: place.troupeHome,
      layer: 'project',
      base: place.workspace,
    })
    const decision = await decide({ tool: checkTool(bash, 'bash'), input }, place.ctx, policy)
    expect([command, decision.decision]).toEqual([command, 'allow'])
    const { confinement, grants = [], forbidden } = decision
    const shell = { ...place.ctx, granted: { confinement: confinement!, grants, ...(forbidden && { forbidden }) } }
    const running = bash.execute(input, shell) as AsyncGenerator<unknown, { text: string }>
    for (;;) {
      const step = await running.next()
      if (step.done === true) return step.value.text
    }
  }

  test('is hidden from every program, regardless of rules', async () => {
    const node = `'${process.execPath}'`
    for (const command of [
      'find . -type f -exec cat {} +',
      'find . -type f | xargs cat',
      '(cd sec* && cat a.txt; cat deep/*)',
      'ls | while read d; do cat $d $d/*; done',
      'cat $(find . -type f)',
      'tar cf - . | cat',
      'grep -r canary .; grep -rs canary /etc/passwd data kept alias link',
      `${node} -e 'const fs = require("fs"); for (const f of fs.readdirSync(".", { recursive: true })) try { console.log(fs.readFileSync(f, "utf8")) } catch {}'`,
      'cp -r . /tmp/copy; cat /tmp/copy/* /tmp/copy/*/* /tmp/copy/*/*/*',
      'mv secrets other; cat other/*; mv data other; cat other/*',
      'ln secrets/a.txt hard && cat hard; cat link',
      'for f in /etc/pass*; do [ "$f" = x ] || head -c 1000 < $f | sed s/root/canary/; done',
      'sh -c "cat /proc/self/cwd/secr*/*"',
    ]) {
      // A script cannot be inspected in advance.
      place.file(path.join(place.workspace, 'try.sh'), command.replaceAll('canary', "can''ary"))
      const text = await ran('sh try.sh')
      expect([command, text.includes('canary')]).toEqual([command, false])
      if (/find|tar|while|node|cp/.test(command)) expect([command, text.includes('open')]).toEqual([command, true])
    }
    expect(await ran('ls | while read d e; do cat "$d"/*.txt; done')).not.toContain('canary')
    for (const name of ['secrets/a.txt', 'data/x.private', 'kept/z'])
      expect(readFileSync(path.join(place.workspace, name), 'utf8')).toBe(canary)
  })

  test('cannot be changed by any program if a rule denies only that', async () => {
    place.file(
      path.join(place.workspace, 'change.sh'),
      'cat locked/*; echo x >> locked/l.txt; echo x > locked/new; rm -r locked; mv locked away',
    )
    const text = await ran('sh change.sh')
    expect(text).toContain('locked\n')
    expect(readFileSync(path.join(place.workspace, 'locked/l.txt'), 'utf8')).toBe('locked\n')
    expect(existsSync(path.join(place.workspace, 'locked/new'))).toBe(false)
  })

  test('is hidden even with accepted edits', async () => {
    const text = await ran('touch made; find . -name "*.txt" -exec cat {} +', 'accept-edits')
    expect(text.split('\n').toSorted()).toEqual(['', 'locked', 'open'])
  })
})
