import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, type TestContext, vi } from 'vitest'
import { isAlive, membersOf } from '../process/processes.ts'
import { createAgentState } from '../run/create-agent-state.ts'
import { openSandboxWorkspace, type SandboxWorkspace } from '../testing/sandbox-workspace.ts'
import { inSandbox } from '../testing/shell-modes.ts'

inSandbox('inside the sandbox', () => {
  let machine: SandboxWorkspace
  beforeAll(async () => {
    machine = await openSandboxWorkspace()
  })
  afterAll(() => machine.close())
  const open = ({ onTestFinished }: TestContext, name?: string) => useful(machine.another(name), onTestFinished)
  /** Opens a workspace with its own home, which only one test can use at a time. */
  const openAnew = async ({ onTestFinished }: TestContext, workspace?: (home: string) => string) =>
    useful(await openSandboxWorkspace(workspace === undefined ? {} : { workspace }), onTestFinished)

  describe('files that start programs', () => {
    const names = [
      '.troupe/config.json',
      '.mcp.json',
      '.vscode/tasks.json',
      '.agents/skills/x',
      '.claude/settings.json',
      '.husky/pre-commit',
      '.envrc',
    ]

    test.concurrent.for(names)('%s cannot be created', async (name, context) => {
      const { place, leftNothing } = open(context)
      const top = name.split('/')[0] as string
      const { text } = await place.run(
        `mkdir -p '${path.dirname(name)}'; echo x > '${name}'; ln -s /etc '${top}'; mkdir other; touch other/file; mv other '${top}'; mv -T other '${top}'; rmdir '${top}'; rm -rf '${top}'; mv '${top}' away; echo over`,
      )
      expect(text).toContain('over')
      await leftNothing(['other'])
    })

    test.concurrent.for(names)('%s cannot be changed, moved or removed', async (name, context) => {
      const { place, inWorkspace, write, leftNothing } = open(context)
      write(name)
      const top = name.split('/')[0] as string
      await place.run(
        `echo x > '${name}'; rm -rf '${top}'; mv '${top}' away; sed -i s/before/after/ '${name}'; touch '${name}2'; chmod 777 '${name}'`,
      )
      if (name !== '.envrc') expect((await place.run(`cat '${name}'`)).text).toBe('before')
      expect(readFileSync(inWorkspace(name), 'utf8')).toBe('before')
      await leftNothing([top, '.envrc2', '.mcp.json2'].filter((one) => existsSync(inWorkspace(one))))
    })

    test.concurrent('can be read, and files next to them written', async (context) => {
      const { place, write } = open(context)
      write('.vscode/settings.json', '{}')
      expect((await place.run('cat .vscode/settings.json; echo x > .vscode-test && cat .vscode-test')).text).toBe(
        '{}x\n',
      )
    })

    test.concurrent('can be written by a command to which they were granted by name', async (context) => {
      const { place, inWorkspace, write, leftNothing } = open(context)
      write('.vscode/settings.json')
      const granted = [inWorkspace('.vscode/settings.json'), inWorkspace('.mcp.json')]
      await place.run(
        'echo one > .vscode/settings.json; echo two > .mcp.json; echo three > .envrc',
        'workspace',
        {},
        granted.map((file) => ({ how: 'write', path: file })),
      )
      expect(readFileSync(granted[0]!, 'utf8')).toBe('one\n')
      expect(readFileSync(granted[1]!, 'utf8')).toBe('two\n')
      await leftNothing(['.mcp.json', '.vscode'])
    })

    test.concurrent('are not replaced in read-only mode', async (context) => {
      const { place } = open(context)
      expect((await place.run('ls -A', 'read-only')).text).toBe('')
      expect(readdirSync(place.workspace)).toEqual([])
    })
  })

  describe('a repository', () => {
    test.concurrent('can be worked with: add, commit, branch, stash, log', async (context) => {
      const { place, write, git } = open(context)
      git('init', '-q')
      write('a.txt')
      const { text, exitCode } = await place.run(
        'set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; git add .; git commit -qm one; git checkout -qb side; echo two > a.txt; git stash -q; git stash pop -q; git commit -qam two; git log --format=%s; git status --short',
      )
      expect(text).toBe('two\none\n')
      expect(exitCode).toBe(0)
      expect(git('log', '--format=%s')).toBe('two\none\n')
    })

    test('has the user’s name for commits, and no other settings', async (context) => {
      const { place, git } = await openAnew(context)
      git('init', '-q')
      place.file(
        path.join(place.home, '.gitconfig'),
        '[user]\n\tname = A \\"B\\" \\\\ C\n\temail = a@b\n[credential]\n\thelper = canary-4711\n[url "https://canary-4711@x/"]\n\tinsteadOf = https://x/\n',
      )
      const { text } = await place.run(
        'git commit -qm one --allow-empty; git log --format="%an <%ae>"; git config --global --list; echo x > ~/.gitconfig',
      )
      expect(text).toMatch(
        /^A "B" \\ C <a@b>\nuser\.name=A "B" \\ C\nuser\.email=a@b\nbash: .*Read-only file system\n$/,
      )
      git('config', 'user.name', 'D')
      expect((await place.run('git commit -qm two --allow-empty; git log -1 --format=%an')).text).toBe('D\n')
    })

    test.concurrent('is read without being asked', async (context) => {
      const { place, write, git } = open(context)
      git('init', '-q')
      write('a.txt')
      expect((await place.run('git status --short; git log --oneline 2>&1 | head -1', 'read-only')).text).toContain(
        '?? a.txt',
      )
    })

    test.concurrent.for([
      ['a hook', 'echo x > .git/hooks/pre-commit'],
      ['its settings', 'git config core.fsmonitor "touch pwned"'],
      ['its settings by hand', 'echo "[core]" >> .git/config'],
      ['another repository in its place', 'mv .git old; rm -rf .git; git init -q . && git config core.fsmonitor x'],
      ['other hooks in their place', 'mv .git/hooks .git/old; rm -rf .git/hooks; mkdir .git/hooks'],
      ['settings of a worktree', 'echo x > .git/config.worktree'],
      ['another place for its settings', 'mkdir evil; cp -r .git/. evil; echo ../evil > .git/commondir'],
      ['a link in its place', 'mkdir evil; ln -sfn ../evil/config .git/config; ln -sfn ../evil .git/hooks'],
    ])('cannot be given %s', async ([_name, command], context) => {
      const { place, inWorkspace, git } = open(context)
      git('init', '-q')
      rmSync(inWorkspace('.git/hooks'), { recursive: true })
      const config = readFileSync(inWorkspace('.git/config'), 'utf8')
      await place.run(`${command}; true`)
      await vi.waitUntil(() => !existsSync(inWorkspace('.git/hooks')), soon)
      expect(readFileSync(inWorkspace('.git/config'), 'utf8')).toBe(config)
      for (const name of ['commondir', 'config.worktree', 'old'])
        expect(existsSync(inWorkspace(`.git/${name}`))).toBe(false)
      expect(statSync(inWorkspace('.git')).isDirectory()).toBe(true)
    })

    test.concurrent('another path for its settings is removed while the command runs, too', async (context) => {
      const { place, git } = open(context)
      git('init', '-q')
      const running = place.run(
        'echo ../evil > .git/commondir; until [ ! -e .git/commondir ]; do sleep 0.02; done; echo gone',
        'workspace',
        { timeout: 5000 },
      )
      expect((await running).text).toBe('gone\n')
    })

    test.concurrent('cannot be created', async (context) => {
      const { place, leftNothing } = open(context)
      const { modelText: told, exitCode } = await place.run('git init .')
      expect(exitCode).not.toBe(0)
      expect(told).toContain('"outside_sandbox": true')
      await leftNothing()
    })

    test('of a worktree is included, but not if only a file claims it', async (context) => {
      const { place, inWorkspace } = await openAnew(context)
      const main = path.join(place.folder, 'main')
      execFileSync('git', ['init', '-q', main])
      execFileSync('git', [
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        '-C',
        main,
        'commit',
        '-qm',
        'first',
        '--allow-empty',
      ])
      rmSync(place.workspace, { recursive: true })
      execFileSync('git', ['-C', main, 'worktree', 'add', '-q', place.workspace])
      expect((await place.run('git log --format=%s', 'read-only')).text).toBe('first\n')
      const { text } = await place.run(
        'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; git commit -qm second --allow-empty; git log --format=%s; git config core.fsmonitor x; echo x > .git; echo x > "$(git rev-parse --git-common-dir)/hooks/pre-commit"; echo x > "$(git rev-parse --git-dir)/commondir"',
      )
      expect(text).toMatch(/^second\nfirst\n/)
      expect(readFileSync(path.join(main, '.git/config'), 'utf8')).not.toContain('fsmonitor')
      expect(existsSync(path.join(main, '.git/hooks/pre-commit'))).toBe(false)
      expect(execFileSync('git', ['-C', place.workspace, 'log', '--format=%s'], { encoding: 'utf8' })).toBe(
        'second\nfirst\n',
      )
      rmSync(inWorkspace('.git'))
      writeFileSync(inWorkspace('.git'), `gitdir: ${path.join(place.folder, 'outside')}\n`)
      expect((await place.run(`cat ${path.join(place.folder, 'outside/secret')}`)).text).not.toContain('canary')
    })
  })

  describe('links made by one command', () => {
    test.concurrent('do not redirect the protection of the next one', async (context) => {
      const { place, inWorkspace, write } = open(context)
      write('.zed/settings.json')
      const start = {
        argv: ['/bin/true'],
        cwd: place.workspace,
        env: {},
        confinement: 'workspace' as const,
        roots: [place.workspace],
      }
      const mounted = (args: string[]): string[] =>
        args.filter((one) => /\/\.(idea|zed|cursor)$/.test(one)).map((one) => path.basename(one))
      const first = await place.state.sandbox!.wrap(start)
      // The file could be a symlink when mounted, since the running command may have created it and may change it.
      write('.idea/workspace.xml')
      symlinkSync(path.join(place.folder, 'outside'), inWorkspace('.cursor'))
      const second = await place.state.sandbox!.wrap(start)
      expect(mounted(first.args)).toEqual(['.zed', '.zed'])
      expect(mounted(second.args)).toEqual(['.zed', '.zed'])
      first.release()
      second.release()
      const third = await place.state.sandbox!.wrap(start)
      expect(new Set(mounted(third.args))).toEqual(new Set(['.idea', '.zed']))
      third.release()
    })

    test.concurrent('to a folder with secrets do not reveal them', async (context) => {
      const { place, write } = open(context)
      write('packages/api/.env', 'canary-4711')
      write('packages/api/.vscode/x.key', 'canary-4711')
      const { text } = await place.run('mv packages moved; mv packages/api packages/moved; ls; cat */*/.env */.env')
      expect(text).not.toContain('canary')
      expect((await place.run('cat */*/.env */.env; grep -r canary .')).text).not.toContain('canary')
      expect((await place.run('echo x > packages/api/file; cat packages/api/file')).text).toBe('x\n')
    })
  })

  describe('placeholders for missing files', () => {
    test.concurrent('are invisible to git, exist no longer than needed, and are never removed before', async (context) => {
      const { place, leftNothing } = open(context)
      const state = (await place.run('true')).exitCode
      expect(state).toBe(0)
      const running = Array.from({ length: 12 }, async (_, i) =>
        place.run(`sleep 0.${i}; mkdir -p .troupe/x && echo ESCAPED; : > .mcp.json && echo ESCAPED; echo over`),
      )
      const texts = (await Promise.all(running)).map(({ text }) => text)
      expect(texts.every((text) => text.includes('over') && !text.includes('ESCAPED'))).toBe(true)
      await leftNothing()
    })

    test.concurrent('stay while a background process of a command runs', async (context) => {
      const { place, inWorkspace, leftNothing } = open(context)
      const { modelText: told } = await place.run(
        '(until [ -e go ]; do sleep 0.02; done; mkdir -p .troupe/x; touch done) > /dev/null 2>&1 &',
      )
      expect(told).toContain('still running in the background')
      await new Promise((resolve) => setTimeout(resolve, 600))
      expect(readdirSync(place.workspace)).toContain('.troupe')
      writeFileSync(inWorkspace('go'), '')
      await vi.waitUntil(() => existsSync(inWorkspace('done')), soon)
      await leftNothing(['done', 'go'])
    })

    test.concurrent('are kept if the user puts something into them', async (context) => {
      const { place, inWorkspace, leftNothing } = open(context)
      const running = place.run('until [ -e go ]; do sleep 0.02; done')
      await vi.waitUntil(() => existsSync(inWorkspace('.vscode')), soon)
      writeFileSync(inWorkspace('.vscode/settings.json'), '{}')
      writeFileSync(inWorkspace('go'), '')
      await running
      await leftNothing(['.vscode', 'go'])
      expect(readdirSync(inWorkspace('.vscode'))).toEqual(['settings.json'])
    })

    test.concurrent('are removed by the next command if our process was killed, and running commands have ended', async (context) => {
      const { place, inWorkspace, leftNothing } = open(context)
      const program = `
        import { findSandbox } from ${JSON.stringify(path.join(import.meta.dirname, 'find-sandbox.ts'))}
        import { openTestShell } from ${JSON.stringify(path.join(import.meta.dirname, '../testing/test-shell.ts'))}
        import bash from ${JSON.stringify(path.join(import.meta.dirname, '../tools/bash.ts'))}
        const shell = openTestShell({ confinement: 'workspace', ...(await findSandbox()) })
        shell.state.roots.splice(0, 1, ${JSON.stringify(place.workspace)})
        shell.state.cwd = shell.state.roots[0]
        const running = bash.execute({ command: 'touch up; setsid sleep 600 & sleep 600' }, shell.ctx)
        console.log(shell.state.tasks.mark)
        await running.next()`
      const child = spawn(process.execPath, ['--conditions=troupe-source', '--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      await vi.waitUntil(() => existsSync(inWorkspace('up')), soon)
      const members = () => membersOf({ mark: `${String(line).trim()}.` }, { fresh: true })
      await vi.waitUntil(() => members().length > 3, soon)
      const running = members()
      child.kill('SIGKILL')
      await vi.waitUntil(() => !running.some(isAlive), soon)
      expect(readdirSync(place.workspace)).toContain('.troupe')
      await place.run('true')
      await leftNothing(['up'])
    })
  })

  describe('a workspace', () => {
    const odd = [
      'with blanks',
      'with \'quotes\' and "more"',
      'with\nlines',
      '-dash',
      'ünï 🎭',
      '$(touch pwned)',
      'a\\134b',
    ]
    test.concurrent.for(odd)('may be called %j', async (name, context) => {
      const { place, write, leftNothing } = open(context, name)
      write('.env', 'canary-4711')
      const { text } = await place.run(
        'echo hello > file && cat file; cat .env; mkdir .troupe; cd ..; echo x > outside',
      )
      expect(text).toMatch(/^hello\n/)
      expect(text).not.toContain('canary')
      expect(existsSync(path.join(place.home, 'outside'))).toBe(false)
      await leftNothing(['.env', 'file'])
    })

    test.concurrent('may be reached through a link', async (context) => {
      const { place, inWorkspace } = open(context)
      symlinkSync(place.workspace, path.join(place.folder, 'link'))
      const state = createAgentState({
        workspace: path.join(place.folder, 'link'),
        outputFolder: place.state.outputFolder,
        sandbox: place.state.sandbox,
      })
      Object.assign(place.ctx, { state })
      expect((await place.run('pwd -P; touch made')).text).toBe(`${realpathSync(place.workspace)}\n`)
      expect(existsSync(inWorkspace('made'))).toBe(true)
    })

    test.concurrent('contains the command’s folder, even deep in it', async (context) => {
      const { place, inWorkspace } = open(context)
      mkdirSync(inWorkspace('a/b'), { recursive: true })
      await place.run('cd a/b')
      expect((await place.run('pwd; touch here; cat ../../../notes.txt')).text).toMatch(/a\/b\ncat: .*No such file/)
      expect(existsSync(inWorkspace('a/b/here'))).toBe(true)
    })

    test('can be the home folder, whose secrets and startup files stay out of reach', async (context) => {
      const { place, leftNothing } = await openAnew(context, (home) => home)
      writeFileSync(path.join(place.home, '.profile'), 'before')
      const { text } = await place.run(
        'cat .ssh/id_ed25519 .aws/credentials .bash_history .troupe/token; for name in .profile .bashrc .zshrc .config/fish/config.fish .local/bin/ls .ssh/config; do mkdir -p "${name%/*}"; echo x > "$name" && echo "ESCAPED $name"; done; cat notes.txt; echo new > notes.txt',
      )
      expect(text.match(/canary-4711/g)).toHaveLength(1)
      expect(text).not.toContain('ESCAPED')
      expect(readFileSync(path.join(place.home, 'notes.txt'), 'utf8')).toBe('new\n')
      expect(readFileSync(path.join(place.home, '.profile'), 'utf8')).toBe('before')
      await leftNothing(['.aws', '.bash_history', '.profile', '.ssh', '.troupe', 'notes.txt'])
    })

    test('may have our home in it', async (context) => {
      const { place } = await openAnew(context, (home) => path.dirname(home))
      expect(
        (await place.run('cat home/.troupe/token home/.ssh/id_ed25519; cat outside/secret')).text.match(/canary/g),
      ).toHaveLength(1)
    })

    test('may be in our home', async (context) => {
      const { place } = await openAnew(context, (home) => path.join(home, '.troupe/work'))
      expect((await place.run('echo x > file; cat file ../token')).text).toMatch(/^x\ncat: /)
    })

    test.concurrent('may not be everything', async (context) => {
      const { place } = open(context)
      const state = createAgentState({
        workspace: '/',
        outputFolder: place.state.outputFolder,
        sandbox: place.state.sandbox,
      })
      Object.assign(place.ctx, { state })
      await expect(place.run('true')).rejects.toThrow('a sandbox cannot confine')
    })

    test.concurrent('that no longer exists is reported', async (context) => {
      const { place } = open(context)
      rmSync(place.workspace, { recursive: true })
      await expect(place.run('true')).rejects.toThrow('no longer exists')
    })

    test.concurrent('of several folders can be written in all of them', async (context) => {
      const { place, inWorkspace } = open(context)
      const added = path.join(place.folder, 'added')
      mkdirSync(added)
      const { sandbox, outputFolder } = place.state
      const state = createAgentState({ workspace: place.workspace, roots: [added], outputFolder, sandbox })
      Object.assign(place.ctx, { state })
      await place.run(`echo x > '${added}/file'; mkdir '${added}/.troupe/x'; echo y > file`)
      expect(readFileSync(path.join(added, 'file'), 'utf8')).toBe('x\n')
      expect(readFileSync(inWorkspace('file'), 'utf8')).toBe('y\n')
    })
  })
})

const soon = { interval: 10, timeout: 25_000 }

function useful(place: SandboxWorkspace, onTestFinished: TestContext['onTestFinished']) {
  onTestFinished(() => place.close())
  const inWorkspace = (name: string): string => path.join(place.workspace, name)
  return {
    place,
    inWorkspace,
    write(name: string, content = 'before'): void {
      mkdirSync(path.dirname(inWorkspace(name)), { recursive: true })
      writeFileSync(inWorkspace(name), content)
    },
    git: (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: place.workspace,
        encoding: 'utf8',
      }),
    leftNothing: (names: string[] = []): Promise<unknown> =>
      vi.waitUntil(() => readdirSync(place.workspace).toSorted().join() === names.toSorted().join(), soon),
  }
}
