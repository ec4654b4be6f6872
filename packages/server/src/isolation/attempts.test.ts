import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { resolvePath } from '@troupe/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { swapBetween } from './testing/swap-between.ts'
import { startTeamNode, type TestNode, whyNoNode } from './testing/start-node.ts'

const why = whyNoNode()

/** A process of Bob's with secrets in its files, ports and sockets. */
const bobsProgram = `
const net = require('node:net')
const fs = require('node:fs')
fs.writeFileSync('/tmp/note', 'canary-in-tmp')
fs.writeFileSync('/dev/shm/note', 'canary-in-shm')
fs.mkdirSync(process.env.HOME, { recursive: true })
fs.writeFileSync(process.env.HOME + '/note', 'canary-in-home')
net.createServer((socket) => socket.end('canary-of-a-port')).listen(4999, '0.0.0.0')
net.createServer((socket) => socket.end('canary-of-a-socket')).listen('\\0bobs-socket', () => console.log('ready'))
`

/** Attempts of a command. Each runs as Alice, and must not print a canary. */
const commands: Record<string, string> = {
  'a file by its path': 'cat "$BOB/secret"',
  'a list of the folder': 'ls -la "$BOB" "$BASE" && echo "canary: $(ls "$BOB")"',
  'a file above the folder': 'cat ../bob/secret',
  'a file behind a new symlink': 'ln -sfn "$BOB/secret" link; cat link',
  'a file behind a hard link': 'ln "$BOB/secret" hard && cat hard',
  'the environment of a process': 'cat /proc/*/environ | tr "\\0" "\\n" | grep -a canary',
  'the environment of the server': 'cat "/proc/$SERVER/environ"; env | grep canary',
  'the arguments of a process': 'cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -ao "bobs-[a]rgument" && echo canary',
  'the root of a process': 'for p in /proc/[0-9]*; do cat "$p/root$BOB/secret" "$p/cwd/secret"; done',
  'the files of a process': 'for f in /proc/[0-9]*/fd/*; do timeout 0.1 head -c 100 "$f"; done | grep -a canary',
  'the memory of a process':
    'for p in /proc/[0-9]*; do head -c 10 "$p/mem" && echo "read $p"; done; gdb -p "$SERVER" 2>&1',
  'a trace of a process': `python3 -c "import ctypes; print('canary' if ctypes.CDLL(None).ptrace(16, $SERVER, 0, 0) == 0 else 'no')"`,
  'a signal to the server': 'kill -0 "$SERVER" && echo canary',
  'a signal to everybody': 'trap "" TERM; kill -TERM -1; echo survived',
  'shared memory': 'cat /dev/shm/*; ipcs -m -q -s | grep -c "^0x" | grep -v "^0" && echo canary',
  'an abstract socket': `node -e "net.connect('\\0bobs-socket').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))"`,
  'a port of a process': '(exec 9<>/dev/tcp/127.0.0.1/4999; cat <&9)',
  'the database of the node': '(exec 9<>"/dev/tcp/127.0.0.1/$PORT"; cat <&9)',
  'the database by the address of the machine':
    'for a in $(hostname -I) 10.0.2.2 172.17.0.1; do (exec 9<>"/dev/tcp/$a/$PORT"; cat <&9); done',
  'the temporary folder of the machine':
    'cat /tmp/note /tmp/*/note /var/tmp/*; find /tmp/ /var/tmp/ \\( -path "$BASE" -o -path "*$RUNTIME" \\) -prune -o -type f -print | head -3 | grep . && echo canary',
  'the temporary folder of the person': 'cat "$TROUPE"/people/*/tmp/*/tmp/note; ls "$TROUPE/people" && echo canary',
  'the home of the person': 'cat ~/note ~bob/note /root/.bash_history /home/*/note',
  'long results of the chat': 'cat "$OUTPUT"/*',
  'the copies that undo keeps': 'find "$TROUPE/undo" "$TROUPE/sessions" -type f | head -1 | grep . && echo canary',
  'the token of the server': 'cat "$TROUPE/token"',
  'an attachment by its hash': `cat "$TROUPE/blobs/${'f'.repeat(64)}"`,
  'the start of another program': 'cat "$TROUPE"/launch/*',
  'the list of people': 'cat "$TROUPE/people.json" && echo canary',
  'other control groups': 'ls /sys/fs/cgroup && mkdir /sys/fs/cgroup/x && echo canary',
  'a way out of the control group':
    'mkdir /tmp/c && mount -t cgroup -o pids none /tmp/c && echo $$ > /tmp/c/cgroup.procs && echo canary',
  'root by a setuid program':
    'for p in su sudo mount passwd newgrp; do timeout 1 $p -c "cat $BOB/secret" < /dev/null; done; [ "$(id -u)" = 0 ] && echo canary',
  'root by a setuid copy': 'cp /bin/bash s; chmod u+s s; ./s -p -c "cat $BOB/secret"',
  'a user namespace': 'unshare -Ur sh -c "id -u; mount -t tmpfs none /mnt && echo canary"',
  'another mount namespace': 'nsenter -t 1 -m cat "$BOB/secret"; nsenter -t "$SERVER" -a cat "$BOB/secret"',
  'a disk as a device':
    'mknod disk b 254 0 && head -c 100000 disk | grep -a canary; head -c 100 /dev/vda /dev/sda /dev/mem && echo canary',
  'the keyring of the kernel':
    "python3 -c \"import ctypes; print('canary' if ctypes.CDLL(None).syscall(250, 0, -4, 0) > 0 else 'no')\"; cat /proc/keys",
  'the messages of the kernel': 'dmesg && echo canary',
  'a core dump':
    'cat /proc/sys/kernel/core_pattern > /dev/null; echo "|/bin/cp $BOB/secret /tmp/x" > /proc/sys/kernel/core_pattern && echo canary',
  'a git that runs programs of a shared folder':
    'mkdir -p .git/hooks; echo "cat $BOB/secret" > .git/hooks/pre-commit; git -c core.hooksPath="$BOB" -C "$BOB" log',
  'a git folder elsewhere': 'printf "gitdir: %s\\n" "$BOB/.git" > .git; git show HEAD:secret; rm -f .git',
  'a program in the path of the launcher':
    'mkdir -p bin; printf "#!/bin/sh\\ncat %s/secret > $PWD/stolen\\n" "$BOB" | tee bin/setpriv bin/bwrap bin/sh; chmod +x bin/*; export PATH="$PWD/bin:$PATH" LD_PRELOAD="$PWD/bin/sh" BASH_ENV="$PWD/bin/sh" ENV="$PWD/bin/sh"',
  'the same, in the next command':
    'cat stolen; rm -rf bin stolen; unset LD_PRELOAD BASH_ENV ENV; export PATH=/usr/bin:/bin',
  'a function in the environment': 'export -f 2>/dev/null; eval "echo() { cat $BOB/secret; }; export -f echo"; true',
  'the same function in the next command': 'builtin echo done; cat stolen; unset -f echo',
}

describe.skipIf(why !== undefined)(`one member reaches nothing of another${why ? ` (skipped: ${why})` : ''}`, () => {
  let node: TestNode
  const facts = (): string =>
    Object.entries({
      BASE: node.base,
      BOB: path.join(node.base, 'bob'),
      TROUPE: node.home,
      OUTPUT: node.output,
      PORT: node.port,
      SERVER: node.serverPid,
      // Node itself is visible, wherever it is.
      RUNTIME: path.dirname(path.dirname(process.execPath)),
    })
      .map(([name, value]) => `${name}='${value}'`)
      .join('; ')
  const tool = (name: string, input: unknown, more: { person?: string; folder?: string } = {}) =>
    node.ask({ kind: 'tool', person: 'alice', folder: 'alice', ...more, tool: name, input })
  const secret = (): string => path.join(node.base, 'bob', 'secret')

  beforeAll(async () => {
    node = await startTeamNode({ seconds: 60 })
    writeFileSync(path.join(node.base, 'bob', 'program.cjs'), bobsProgram)
    const started = await node.ask({
      kind: 'tool',
      person: 'bob',
      folder: 'bob',
      tool: 'Bash',
      input: {
        command: 'export SECRET=canary-of-the-environment; exec node program.cjs bobs-argument',
        run_in_background: true,
      },
    })
    const taskId = /task-[0-9a-f]+/.exec(started.text)?.[0]
    const printed = await node.ask({
      kind: 'tool',
      person: 'bob',
      folder: 'bob',
      tool: 'TaskOutput',
      input: { task_id: taskId, from: 0, wait_ms: 10_000 },
    })
    if (!printed.text.includes('ready')) throw new Error(printed.text)
    mkdirSync(node.output, { recursive: true })
    writeFileSync(path.join(node.output, 'bash.txt'), 'canary-of-a-result', { mode: 0o600 })
  }, 30_000)
  afterAll(() => node?.close())

  test('each secret is one that Bob himself can read', async () => {
    const { text } = await node.bash('bob', `${facts()}; cat secret /tmp/note "$OUTPUT"/*`)
    expect(text).toContain('canary-of-bob')
    expect(text).toContain('canary-in-tmp')
    expect(text).toContain('canary-of-a-result')
  })

  test.for(Object.entries(commands))('by a command: %s', async ([, command]) => {
    const { text } = await node.bash('alice', `${facts()}; { ${command}\n} 2>&1`, { timeout: 5000 })
    expect(text).not.toContain('canary-')
    expect(text).not.toMatch(/^canary/m)
  })

  test('by a command outside the sandbox, which a person has approved', async () => {
    const input = { command: `cat ${secret()}; id -u`, outside_sandbox: true }
    const { text } = await node.ask({
      kind: 'tool',
      person: 'alice',
      folder: 'alice',
      tool: 'Bash',
      input,
      confinement: 'none',
    })
    expect(text).not.toContain('canary')
    expect(text).toMatch(/^20000\d$/m)
  })

  test.for([
    ['Read', (file: string) => ({ file_path: file })],
    ['Edit', (file: string) => ({ file_path: file, old_string: 'canary', new_string: 'gone' })],
    ['Write', (file: string) => ({ file_path: file, content: 'gone' })],
    ['Grep', (file: string) => ({ pattern: 'canary', path: file, output_mode: 'content' })],
    ['Glob', (file: string) => ({ pattern: '*', path: path.dirname(file) })],
    ['Query', (file: string) => ({ sql: `select * from read_text('${file}')` })],
    ['Query', () => ({ sql: 'select * from messages', connection: 'troupe' })],
    ['JsRepl', (file: string) => `process.getBuiltinModule('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8')`],
    ['TaskOutput', () => ({ task_id: 'task-00000000' })],
  ] as const)('by the tool %s', async ([name, input]) => {
    const { text } = await tool(name, input(secret()))
    expect(text).not.toMatch(/There is no tool|invalid_type/)
    expect(text).not.toContain('canary-of')
    expect(text).not.toMatch(/program\.cjs/)
    expect(readFileSync(secret(), 'utf8')).toBe('canary-of-bob')
  })

  test.for(['git', 'hook', 'mcp', 'language server'] as const)('by a program of a folder: %s', async (program) => {
    const script = `id -u; cat ${secret()} ${node.home}/token /proc/${node.serverPid}/environ; env`
    const { text } = await node.ask({ kind: 'program', program, folder: 'shared', script })
    expect(text).not.toContain('canary-')
    expect(text).toMatch(/\b20000\d\b/)
  })

  test('a swapped folder would be followed without the view of the server', () => {
    const own = mkdtempSync(path.join(tmpdir(), 'troupe-swap-'))
    const used = swapBetween(own, path.join(node.base, 'bob'), (place) => {
      const { path: real } = resolvePath(
        { state: { cwd: own, roots: [realpathSync(own)], readable: [] } },
        path.join(place, 'secret'),
        { for: 'read' },
      )
      let seen = ''
      return { use: () => (seen = readFileSync(real, 'utf8')), seen: () => seen }
    })
    rmSync(own, { recursive: true })
    expect(used).toBe('used: canary-of-bob')
  })

  test.for(['read', 'write'] as const)('by a folder that becomes a symlink between check and use: %s', async (how) => {
    const { text } = await node.ask({ kind: 'swap', how })
    expect(text).toBe('refused: ELOOP')
    expect(existsSync(path.join(node.base, 'bob', 'planted'))).toBe(false)
  })

  test('by the network that a person has allowed a command', async () => {
    const get = (address: string): string => `curl -s -m 5 --noproxy '' -x http://127.0.0.1:3128 ${address}; `
    const command = [
      get(`http://127.0.0.1:${node.publicPort}/`),
      get(`http://127.0.0.1:${node.port}/`),
      get(`http://localhost:${node.port}/`),
      get(`http://[::1]:${node.port}/`),
      `(exec 9<>/dev/tcp/127.0.0.1/${node.port}; cat <&9); (exec 9<>/dev/tcp/127.0.0.1/4999; cat <&9)`,
    ].join('\n')
    const ask = (person: string) =>
      node.ask({ kind: 'tool', person, folder: person, tool: 'Bash', input: { command }, confinement: 'none' })
    const { text } = await ask('alice')
    expect(text).toContain('from-the-internet')
    expect(text).not.toContain('canary')
    expect((await node.bash('alice', command)).text).not.toContain('from-the-internet')
  })

  test('by a file tool on a symlink, a pipe or a device in the own folder', async () => {
    await node.bash(
      'alice',
      `ln -s ${secret()} sym; ln -s ${node.base}/bob dir; mkfifo pipe; ln -s /proc/${node.serverPid}/environ env`,
    )
    for (const file of ['sym', 'dir/secret', 'pipe', 'env', '/proc/self/environ', '/dev/mem']) {
      const { text, failed } = await tool('Read', { file_path: file })
      expect({ file, failed }).toEqual({ file, failed: true })
      expect(text).not.toContain('canary-')
    }
  })

  test('by a terminal', async () => {
    const text = `cat ${secret()} /proc/${node.serverPid}/environ; id -u; echo en''d`
    const { text: shown } = await node.ask({ kind: 'terminal', person: 'alice', folder: 'alice', text, until: '\nend' })
    expect(shown).not.toContain('canary-')
    expect(shown).toMatch(/^20000\d\r?$/m)
  })

  test('by undo of a file that ran as its owner', async () => {
    await node.bash('alice', 'echo "echo 1" > runs-as-owner; chmod 4755 runs-as-owner')
    await tool('Read', { file_path: 'runs-as-owner' })
    const file = path.join(node.base, 'alice', 'runs-as-owner')
    await tool('ApplyPatch', { patch: '*** Begin Patch\n*** Delete File: runs-as-owner\n*** End Patch' })
    expect(existsSync(file)).toBe(false)
    await tool('Undo', { scope: 'call' })
    expect(statSync(file).mode & 0o7777).toBe(0o755)
  })

  test('members of one folder share its files, and nothing else', async () => {
    await tool('Write', { file_path: 'made-by-tool.sh', content: 'echo 1\n' }, { folder: 'shared' })
    const alice = await node.bash(
      'alice',
      'echo 2 > made-by-command; echo private > /tmp/alice; chmod +x made-by-tool.sh',
      {
        folder: 'shared',
      },
    )
    expect(alice.text).toContain('"exitCode":0')
    const bob = await node.bash(
      'bob',
      'echo more >> made-by-tool.sh; echo more >> made-by-command; cat made-by-tool.sh; cat /tmp/alice; ps -e | wc -l; git init -q . && git status -s',
      { folder: 'shared' },
    )
    expect(bob.text).toContain('echo 1')
    expect(readFileSync(path.join(node.base, 'shared', 'made-by-command'), 'utf8')).toBe('2\nmore\n')
    expect(bob.text).not.toContain('private')
  })
})
