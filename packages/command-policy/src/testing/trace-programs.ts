import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  copyFileSync,
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
import { gzipSync } from 'node:zlib'

export interface TracedRun {
  /** Files created, changed or removed, and system calls that would do so. */
  wrote: string[]
  /** Programs it started, and other actions that are not read-only. */
  ran: string[]
  opened: { path: string; folder: boolean }[]
  output: string
}

export interface ProgramTrace {
  workspace: string
  home: string
  /** Runs a program found in the usual folders. Returns undefined if it is not installed. */
  run(argv: readonly string[]): Promise<TracedRun | undefined>
  changes(): string[]
  dispose(): void
}

const changing =
  'creat rename renameat renameat2 unlink unlinkat mkdir mkdirat rmdir link linkat symlink symlinkat chmod fchmod fchmodat chown fchown fchownat lchown truncate ftruncate utimensat utime utimes futimesat mknod mknodat setxattr lsetxattr fsetxattr removexattr mount umount2 sethostname settimeofday clock_settime reboot'
const reaching =
  'connect execve execveat kill tkill tgkill setpriority ioprio_set sched_setaffinity sched_setscheduler ptrace'
const strace = '/usr/bin/strace'
export const canTrace: boolean = traceWorks()

function traceWorks(): boolean {
  try {
    execFileSync(strace, ['-f', '-qq', '-o', '/dev/null', '/bin/true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * For tests: a workspace with a repository, secrets and a home, in which real programs are traced. The caller must
 * dispose it.
 */
export function openProgramTrace(): ProgramTrace {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'watch-')))
  const [workspace, home, temporary, stubs] = ['workspace', 'home', 'tmp', 'stubs'].map((name) => {
    mkdirSync(path.join(base, name))
    return path.join(base, name)
  }) as [string, string, string, string]
  makeWorkspace(workspace)
  writeFileSync(path.join(home, 'notes'), 'mine\n')
  writeFileSync(path.join(home, '.netrc'), 'SECRET\n')
  // Stubs for programs that others are known to start. None may run.
  const stub = `#!/bin/sh\necho "$0 $*" >> ${base}/ran\n`
  for (const name of 'sh pr less more pager bzip2 xz zstd gpg gpg2 ssh vi editor ls stty tput cpp objdump'.split(' '))
    writeFileSync(path.join(stubs, name), stub, { mode: 0o755 })
  for (const name of ['grep', 'gzip']) symlinkSync(`/usr/bin/${name}`, path.join(stubs, name))
  const before = snapshot([workspace, home, temporary])
  let count = 0
  return {
    workspace,
    home,
    async run([name = '', ...words]) {
      const program = programFile(name)
      if (program === undefined) return undefined
      const log = path.join(base, `trace${count++}`)
      const env = {
        PATH: `${stubs}:/usr/bin:/bin`,
        HOME: home,
        TMPDIR: temporary,
        LANG: 'C.UTF-8',
        GIT_CONFIG_NOSYSTEM: '1',
        RUSTUP_HOME: `${process.env['HOME'] ?? ''}/.rustup`,
      }
      const trace = `-f -qq -y -s 4096 -e signal=none -e trace=open,openat,openat2,${`${changing} ${reaching}`.replaceAll(' ', ',')} -o ${log}`
      const command = canTrace ? [strace, ...trace.split(' '), program, ...words] : [program, ...words]
      const output = await collect(command, workspace, env)
      const watched: TracedRun = { wrote: [], ran: [], opened: [], output }
      if (canTrace) {
        readTrace(readFileSync(log, 'utf8'), watched, program, [workspace, home])
        rmSync(log)
      }
      if (existsSync(path.join(base, 'ran'))) {
        watched.ran.push(readFileSync(path.join(base, 'ran'), 'utf8').trim())
        rmSync(path.join(base, 'ran'))
      }
      return watched
    },
    changes() {
      const after = snapshot([workspace, home, temporary])
      return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))
    },
    dispose: () => rmSync(base, { recursive: true, force: true }),
  }
}

/** Debian uses another name. */
const otherNames: Record<string, string> = { fd: 'fdfind' }

function programFile(name: string): string | undefined {
  for (const folder of [
    '/usr/bin',
    '/bin',
    '/usr/local/bin',
    '/usr/sbin',
    `${process.env['HOME'] ?? ''}/.cargo/bin`,
    path.resolve('node_modules/.bin'),
  ]) {
    const file = path.join(folder, otherNames[name] ?? name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      continue
    }
  }
  return undefined
}

function collect(command: readonly string[], cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const [program = '', ...words] = command
    // Own process group, so that its children can be killed with it.
    const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, 10_000)
    let output = ''
    const take = (piece: Buffer): void => {
      if (output.length < 10_000) output += piece.toString('utf8')
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.on('close', () => {
      clearTimeout(timer)
      resolve(output)
    })
    child.on('error', (error) => resolve(error.message))
  })
}

function readTrace(text: string, watched: TracedRun, program: string, places: readonly string[]): void {
  const changes = new Set(changing.split(' '))
  for (const line of text.split('\n')) {
    const [, call = '', rest = ''] = /^\d+\s+(\w+)\((.*)$/.exec(line) ?? []
    if (changes.has(call)) {
      watched.wrote.push(`${call}(${rest}`)
    } else if (call.startsWith('open')) {
      const [, folder = '', name = '', flags = ''] = /^(?:[^<"]*<([^>]*)>, )?"([^"]*)", (.*)$/.exec(rest) ?? []
      const file = path.resolve(folder, name)
      if (/O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(flags) && !/^\/dev\/(null|tty)$/.test(file))
        watched.wrote.push(`${call}(${rest}`)
      if (/= \d+/.test(flags) && places.some((place) => file === place || file.startsWith(`${place}/`)))
        watched.opened.push({ path: file, folder: /O_DIRECTORY/.test(flags) || isFolder(file) })
    } else if (call.startsWith('exec')) {
      const [, started = ''] = /"([^"]*)"/.exec(rest) ?? []
      if (started !== program && !rest.includes('ENOENT')) watched.ran.push(`${call}(${rest}`)
    } else if (
      call !== '' &&
      !rest.includes('SIGURG') &&
      !(call === 'connect' && /nscd\/socket|systemd\/userdb/.test(rest))
    ) {
      watched.ran.push(`${call}(${rest}`)
    }
  }
}

function isFolder(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true
}

/** For `example`, without its key. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBejCCASGgAwIBAgIUEgeRKmCg8JUGO6D9/WT0ebYr5FQwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHZXhhbXBsZTAgFw0yNjExMTgwMzA1NTBaGA8yMTI2MTAyNTAz
MDU1MFowEjEQMA4GA1UEAwwHZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABPkOviVbSi9RSgBKGbtNplUHCWngi/NSvpgh0e0ikn1qwKwYonp6cfQHv4s0
3rSaALc3QG4xaQ3qNzxMdA1EX1KjUzBRMB0GA1UdDgQWBBRzUZPbY9Lf1brOohP2
cRVFqWAz4DAfBgNVHSMEGDAWgBRzUZPbY9Lf1brOohP2cRVFqWAz4DAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIBNFNeAaa8ybuK32/1WUB9tl4+e4
+g/D4npve9tPH0PzAiBaketnwRNFwawMmxKzCOmEnjvBEW4S9/WzC5m0D4ibdg==
-----END CERTIFICATE-----
`

function makeWorkspace(folder: string): void {
  for (const name of ['src', 'empty', 'keys', 'other']) mkdirSync(path.join(folder, name))
  const files: Record<string, string> = {
    'a.txt': 'one 1\ntwo 2\n',
    'b.txt': 'one 1\nthree 3\n',
    'c.json': '{"a":[1,2]}\n',
    '.env': 'KEY=SECRET\n',
    'keys/id_rsa': 'SECRET\n',
    'src/index.ts': 'export const one = 1\n',
    'src/.hidden': 'one\n',
    'other/.env': 'one SECRET\n',
    '1': 'SECRET one\n',
    x: 'SECRET one\n',
    auto: 'SECRET one\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  writeFileSync(path.join(folder, 'a.gz'), gzipSync('one\n'))
  // An archive without files ends at once.
  writeFileSync(path.join(folder, 'a.zip'), Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)]))
  writeFileSync(path.join(folder, 'a.crt'), certificate)
  copyFileSync('/bin/true', path.join(folder, 'a.bin'))
  execFileSync('tar', ['czf', 'a.tar', 'a.txt', 'src'], { cwd: folder })
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...words: string[]): void => void execFileSync('git', words, { cwd: folder, env, stdio: 'ignore' })
  git('init', '-q', '-b', 'main', '--template=')
  git('config', 'user.name', 'n')
  git('config', 'user.email', 'e@example.com')
  git('add', 'a.txt', 'src')
  git('commit', '-q', '-m', 'first')
  git('add', 'b.txt', 'c.json')
  git('commit', '-q', '-m', 'second')
  git('tag', 'v1')
}

function snapshot(folders: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder)) {
      const file = path.join(folder, entry)
      const stats = lstatSync(file)
      if (stats.isDirectory()) {
        found.set(file, `folder ${stats.mode} ${entry === '.git' ? '' : stats.mtimeMs}`)
        visit(file)
      } else if (stats.isFile()) {
        const hash = createHash('sha1').update(readFileSync(file)).digest('hex')
        // Git caches file metadata there.
        found.set(file, file.endsWith('/.git/index') ? 'index' : `${stats.mode} ${stats.mtimeMs} ${hash}`)
      } else {
        found.set(file, `${stats.mode} ${stats.isSymbolicLink() ? readlinkSync(file) : ''}`)
      }
    }
  }
  for (const folder of folders) visit(folder)
  return found
}
