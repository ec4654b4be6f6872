import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const bwrap = '/usr/bin/bwrap'

/** For tests: true if real commands can run safely in a sandbox here. */
export const hasBubblewrap: boolean = existsSync(bwrap) && works()
export const noBubblewrap = 'bubblewrap does not work on this machine, so no real bash judges'

function works(): boolean {
  try {
    execFileSync(bwrap, ['--ro-bind', '/', '/', '--unshare-all', '/bin/true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Programs that must not run, or are not installed. Each stub records that it ran. */
const watched =
  'evil curl wget nc python python3 node npm npx pnpm yarn pip ruby php lua deno bun docker podman kubectl ssh scp rsync sudo doas su crontab at batch systemctl service shutdown reboot halt poweroff init mkfs mkfs.ext4 mount umount iptables useradd passwd apt apt-get yum dnf brew launchctl osascript open xdg-open fd tmux screen parallel gcc cc go cargo rustc java vim vi nano code gh aws terraform helm psql mysql mail sendmail busybox zsh fish ksh'.split(
    ' ',
  )
const stub = `#!/bin/sh
name=\${0##*/}
printf '%s\\n' "$name $*" >> /log/ran
case $name in
curl | wget) echo evil ;;
sudo | doas) exec "$@" ;;
esac
`

export interface BashTrial {
  ran: string[]
  changed: string[]
  output: string
}

export interface BashTrials {
  try(command: string): Promise<BashTrial>
  traces(commands: readonly string[]): Promise<({ command: string } & BashTrial)[]>
  dispose(): void
}

/** Creates a sandbox for commands: a workspace with a repository, a home, stub programs. The caller must dispose it. */
export function openBashTrials(): BashTrials {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'trials-')))
  const stubs = path.join(base, 'stubs')
  mkdirSync(stubs)
  writeFileSync(path.join(stubs, 'stub'), stub, { mode: 0o755 })
  for (const name of watched) symlinkSync('stub', path.join(stubs, name))
  const template = path.join(base, 'template')
  makeWorkspace(template)
  let count = 0
  const trials: BashTrials = {
    async traces(commands) {
      const found: ({ command: string } & BashTrial)[] = []
      for (let at = 0; at < commands.length; at += 40) {
        const some = commands.slice(at, at + 40)
        const together = await trials.try(some.map((command) => `(\n${command}\n)`).join('\n'))
        if (together.ran.length === 0 && together.changed.length === 0) continue
        for (const command of some) {
          const alone = await trials.try(command)
          if (alone.ran.length > 0 || alone.changed.length > 0) found.push({ command, ...alone })
        }
      }
      return found
    },
    async try(command) {
      const own = path.join(base, `t${count++}`)
      cpSync(template, path.join(own, 'ws'), { recursive: true, preserveTimestamps: true })
      for (const name of ['home', 'log']) mkdirSync(path.join(own, name))
      writeFileSync(path.join(own, 'home/notes'), 'mine\n')
      writeFileSync(path.join(own, 'log/ran'), '')
      const before = snapshot(own)
      const output = await confined(command, own, stubs)
      const ran = readFileSync(path.join(own, 'log/ran'), 'utf8').split('\n').filter(Boolean)
      const changed = differences(before, snapshot(own))
      rmSync(own, { recursive: true, force: true })
      return { ran, changed, output }
    },
    dispose: () => rmSync(base, { recursive: true, force: true }),
  }
  return trials
}

function makeWorkspace(folder: string): void {
  mkdirSync(path.join(folder, 'src'), { recursive: true })
  mkdirSync(path.join(folder, 'bin'))
  mkdirSync(path.join(folder, 'empty'))
  const files: Record<string, string> = {
    f: 'a:1\nb:2\na:3\n',
    x: 'x\n',
    'a.txt': 'one\ntwo\n',
    'b.txt': 'one\nthree\n',
    'package.json': '{"name":"p","scripts":{"x":"evil"},"dependencies":{"a":"1"}}\n',
    '.env': 'KEY=secret\n',
    'src/index.ts': 'export const a = 1\n// TODO\n',
    script: 'evil from a script\n',
    Makefile: 'all:\n\tevil from make\n',
    'prog.awk': 'BEGIN { system("evil") }\n',
    'prog.sed': '1e evil\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  for (const name of ['ls', 'bin/ls', 'run.sh']) {
    writeFileSync(path.join(folder, name), '#!/bin/sh\n/stubs/evil "$0"\n')
    chmodSync(path.join(folder, name), 0o755)
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...words: string[]): void => void execFileSync('git', words, { cwd: folder, env, stdio: 'ignore' })
  git('init', '-q', '-b', 'main', '--template=')
  git('config', 'user.name', 'n')
  git('config', 'user.email', 'e@example.com')
  git('add', 'f', 'x', 'a.txt')
  git('commit', '-q', '-m', 'first')
  git('add', '-A')
  git('commit', '-q', '-m', 'second')
}

/** Runs like our own runner: a fixed bash without startup files. */
function confined(command: string, own: string, stubs: string): Promise<string> {
  const system = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'].filter((one) => existsSync(one))
  const args = [
    ...'--unshare-all --die-with-parent --new-session --clearenv --proc /proc --dev /dev --tmpfs /tmp'.split(' '),
    ...'--ro-bind /usr /usr --ro-bind /etc /etc --setenv HOME /home/me --setenv LANG C.UTF-8'.split(' '),
    ...system.flatMap((one) =>
      lstatSync(one).isSymbolicLink() ? ['--symlink', readlinkSync(one), one] : ['--ro-bind', one, one],
    ),
    ...`--bind ${own}/ws /ws --bind ${own}/home /home/me --bind ${own}/log /log --ro-bind ${stubs} /stubs`.split(' '),
    ...'--setenv PATH /stubs:/usr/bin:/bin --chdir /ws timeout -s KILL 20 bash --noprofile --norc -c'.split(' '),
    command,
    'bash',
  ]
  return new Promise((resolve) => {
    const child = spawn(bwrap, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
    let output = ''
    const take = (piece: Buffer): void => {
      if (output.length < 10_000) output += piece.toString('utf8')
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.on('close', () => resolve(output))
  })
}

function snapshot(own: string): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (folder: string, name: string): void => {
    for (const entry of readdirSync(folder)) {
      const file = path.join(folder, entry)
      const shown = `${name}/${entry}`
      // Git caches file metadata there.
      if (shown === '/ws/.git/index') continue
      const stats = lstatSync(file)
      if (stats.isDirectory()) {
        found.set(shown, `folder ${stats.mode}`)
        if ((stats.mode & 0o500) === 0o500) visit(file, shown)
      } else if (stats.isFile()) {
        const hash = createHash('sha1').update(readFileSync(file)).digest('hex')
        found.set(shown, `${stats.mode} ${stats.mtimeMs} ${hash}`)
      } else {
        found.set(shown, `${stats.mode} ${stats.isSymbolicLink() ? readlinkSync(file) : ''}`)
      }
    }
  }
  for (const name of ['ws', 'home']) visit(path.join(own, name), `/${name}`)
  return found
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => before.get(name) !== after.get(name))
}

/** Reads a list of commands, one per line. `␤` is a newline, `␉` a tab, and lines with `## ` are headings. */
export function readCommands(file: string): { command: string; judged: boolean }[] {
  const text = readFileSync(path.join(import.meta.dirname, 'fixtures', file), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('## '))
    .map((line) => ({
      // Prefix `? `: dangerous, but not tested here.
      command: line.replace(/^\? /, '').replaceAll('␤', '\n').replaceAll('␉', '\t').replaceAll('␍', '\r'),
      judged: !line.startsWith('? '),
    }))
}
