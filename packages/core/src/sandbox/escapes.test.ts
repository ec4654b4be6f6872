import { spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { membersOf, sendSignalTo } from '../process/processes.ts'
import { canary, openSandboxWorkspace, type SandboxWorkspace } from '../testing/sandbox-workspace.ts'
import { inSandbox } from '../testing/shell-modes.ts'
import execCommand from '../tools/exec-command.ts'
import { watchProcesses } from './process-limits.ts'

/** Prints the canary or ESCAPED if it escapes. */
interface Escape {
  name: string
  command: string
  /** The same command must escape without a sandbox, or the test proves nothing. */
  control?: boolean
}

const isRoot = process.getuid?.() === 0

inSandbox('out of the sandbox there is no way', () => {
  let place: SandboxWorkspace
  beforeAll(async () => {
    place = await openSandboxWorkspace()
    writeFileSync(path.join(place.workspace, '.env'), canary)
    mkdirSync(path.join(place.workspace, 'packages/api'), { recursive: true })
    writeFileSync(path.join(place.workspace, 'packages/api/.env.local'), canary)
    writeFileSync(path.join(place.workspace, 'server.pem'), `-----BEGIN PRIVATE KEY-----\n${canary}`)
    mkdirSync(path.join(place.workspace, 'sub'))
    symlinkSync(path.join(place.folder, 'outside'), path.join(place.workspace, 'link'))
    linkSync(path.join(place.folder, 'outside/secret'), path.join(place.folder, 'outside/hard'))
  })
  afterAll(() => place.close())

  const facts = (): string =>
    Object.entries({
      OUTSIDE: path.join(place.folder, 'outside'),
      TROUPE: place.troupeHome,
      PORT: place.port,
      VICTIM: place.victim,
      OURS: process.pid,
      NODE: process.execPath,
      CANARY: canary,
    })
      .map(([name, value]) => `${name}='${value}'`)
      .join('; ')
  const attempt = (command: string, confinement: 'none' | 'workspace' | 'read-only' = 'workspace') =>
    place.run(`${facts()}\n${command}`, confinement)

  describe('to files that must not be read:', () => {
    const escapes: Escape[] = [
      { name: 'a key of the person', command: 'cat ~/.ssh/id_ed25519' },
      { name: 'credentials of a cloud', command: 'cat ~/.aws/credentials' },
      { name: 'what the person typed', command: 'cat ~/.bash_history' },
      { name: 'any file of the home', command: 'cat ~/notes.txt' },
      { name: 'our token', command: 'cat "$TROUPE/token"' },
      { name: 'the output of another session', command: 'cat "$TROUPE"/sessions/other/output/*' },
      { name: 'a file beside the workspace', command: 'cat "$OUTSIDE/secret"' },
      { name: 'a file above the workspace', command: 'cat ../notes.txt' },
      { name: 'a file behind a link that was there', command: 'cat link/secret' },
      { name: 'a file behind a new link', command: 'ln -sfn "$OUTSIDE/secret" new-link; cat new-link' },
      { name: 'a hard link to a file outside', command: 'ln "$OUTSIDE/secret" hard && cat hard' },
      {
        name: 'through the root of a process',
        command: 'cat "/proc/self/root$OUTSIDE/secret" "/proc/1/root$OUTSIDE/secret"',
      },
      {
        name: 'through the folder of a process',
        command: 'cat "/proc/self/cwd/../notes.txt" /proc/1/cwd/../notes.txt',
      },
      {
        name: 'a search of the whole machine',
        command:
          'grep -rlsaF --exclude-dir=proc --exclude-dir=sys --exclude-dir=project "$CANARY" "${OUTSIDE%/*}" | grep . && echo ESCAPED',
      },
      { name: 'a secret in the workspace', command: 'cat .env' },
      { name: 'a secret deep in the workspace', command: 'cat packages/api/.env.local' },
      { name: 'a private key in the workspace', command: 'cat server.pem' },
      { name: 'a copy of a secret', command: 'cp .env copy; cat copy' },
      { name: 'a hard link to a secret', command: 'ln .env copy2; cat copy2' },
      {
        name: 'a renamed secret',
        command: 'mv packages packages2 && cat packages2/api/.env.local; mv packages2 packages',
      },
      { name: 'a secret through /proc', command: 'cat /proc/self/cwd/.env /proc/$$/cwd/.env' },
      { name: 'a packed secret', command: 'tar -cf - .env server.pem | cat' },
      { name: 'the environment of a process outside', command: 'cat "/proc/$VICTIM/environ" | tr "\\0" "\\n"' },
      {
        name: 'the environment of all processes',
        command: 'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -a "SECRET=$CANARY"',
      },
    ]
    test.each(escapes)('$name', async ({ command, control }) => {
      for (const confinement of ['workspace', 'read-only'] as const) {
        const { text } = await attempt(command, confinement)
        expect(text).not.toContain(canary)
        expect(text).not.toContain('ESCAPED')
      }
      if (control === false) return
      const { text } = await attempt(command, 'none')
      expect(text).toMatch(/canary-4711|ESCAPED/)
    })

    test('system passwords and other private files', async () => {
      const { text } = await attempt('ls -A /etc /home /root /var /run /mnt /media /srv /boot /sys /lost+found 2>&1')
      expect(text).not.toMatch(/shadow|sudoers|ssh$|fstab|log$/m)
      expect((await attempt('cat /etc/shadow')).exitCode).not.toBe(0)
    })

    test('except granted paths and the output of the session', async () => {
      const output = place.file(path.join(place.state.outputFolder, 'bash-1.txt'), 'long output')
      place.file(path.join(place.state.outputFolder, '.undo/objects/1'))
      const look = `cat '${output}'; cat '${place.state.outputFolder}'/.undo/objects/*`
      for (const confinement of ['workspace', 'read-only'] as const) {
        const { text } = await attempt(look, confinement)
        expect(text).toContain('long output')
        expect(text).not.toContain(canary)
      }
      const key = path.join(place.home, '.ssh/id_ed25519')
      const notes = path.join(place.home, 'notes.txt')
      const named = [
        { how: 'write' as const, path: notes },
        { how: 'read' as const, path: key },
      ]
      const touch = `cat ~/notes.txt; cat ~/.ssh/id_ed25519; ls -A ~/.ssh; ls ~/.aws; echo more >> ~/notes.txt`
      expect((await place.run(touch, 'read-only', {}, named)).text).toMatch(
        /^canary-4711canary-4711id_ed25519\n.*Read-only file system/s,
      )
      await place.run(touch, 'workspace', {}, named)
      expect(readFileSync(notes, 'utf8')).toBe('canary-4711more\n')
      const whole = await place.run('cat ~/notes.txt ~/.ssh/id_ed25519 ~/.troupe/token', 'read-only', {}, [
        { how: 'read', path: place.home },
      ])
      expect(whole.text.match(/canary/g)).toHaveLength(1)
      place.file(notes)
      const env = path.join(place.workspace, '.env')
      expect((await place.run('cat .env', 'read-only', {}, [{ how: 'read', path: env }])).text).toBe(canary)
      expect((await place.run('grep -rs canary .env packages server.pem', 'read-only')).text).toBe('')
    })

    test('our environment, including that of the first process', async () => {
      const { text } = await attempt('cat /proc/1/environ /proc/self/environ | tr "\\0" "\\n"; env')
      expect(text).toContain('TROUPE_TASK=')
      expect(text).not.toContain(canary)
      expect(text).not.toContain('API_KEY')
    })

    test('more than its own processes', async () => {
      const { text } = await attempt('echo /proc/[0-9]*; tr "\\0" " " < /proc/1/cmdline | cut -c1-20')
      expect(text.split('\n')[0]!.split(' ').length).toBeLessThan(6)
    })
  })

  describe('to files that must not be written:', () => {
    const escapes: Escape[] = [
      { name: 'a file beside the workspace', command: 'echo x > "$OUTSIDE/new1"; [ -e link/new1 ] && echo ESCAPED' },
      { name: 'a file behind a link', command: 'echo x > link/new2; [ -e link/new2 ] && echo ESCAPED' },
      {
        name: 'a file behind a new link',
        command: 'ln -sfn "$OUTSIDE" l3; echo x > l3/new3; [ -e l3/new3 ] && echo ESCAPED',
      },
      { name: 'through the root of a process', command: 'echo x > "/proc/self/root$OUTSIDE/new4" && echo ESCAPED' },
      { name: 'what is there outside', command: 'chmod 777 "$OUTSIDE" && echo ESCAPED' },
      { name: 'the removal of what is there', command: 'rm "$OUTSIDE/hard" && echo ESCAPED' },
      {
        name: 'a program of the system',
        command: 'touch /usr/local/troupe-test && rm /usr/local/troupe-test && echo ESCAPED',
        control: isRoot,
      },
      { name: 'settings of the system', command: 'touch /etc/passwd && echo ESCAPED', control: isRoot },
      {
        name: 'the output of its own session',
        command: 'mkdir -p "$TROUPE/sessions/own/output"; touch "$TROUPE/sessions/own/output/x" && echo ESCAPED',
      },
      { name: 'another place for the workspace', command: 'mv "$PWD" "$PWD-2" && mv "$PWD-2" "$PWD" && echo ESCAPED' },
    ]
    test.each(escapes)('$name', async ({ command, control }) => {
      const before = readdirSync(path.join(place.folder, 'outside'))
      expect((await attempt(command)).text).not.toContain('ESCAPED')
      expect(readdirSync(path.join(place.folder, 'outside'))).toEqual(before)
      if (control !== false) expect((await attempt(command, 'none')).text).toContain('ESCAPED')
    })

    test('the home folder, which is a new one', async () => {
      const { text } = await attempt('echo alias ls=rm > ~/.bashrc; mkdir -p ~/.cache/x; cat ~/.bashrc')
      expect(text).toBe('alias ls=rm\n')
      expect(existsSync(path.join(place.home, '.bashrc'))).toBe(false)
      expect((await attempt('cat ~/.bashrc')).exitCode).toBe(1)
    })

    test('temporary files of others, of which it has its own', async () => {
      const outside = `/tmp/troupe-test-${process.pid}`
      await attempt(`echo x > ${outside}`)
      expect(existsSync(outside)).toBe(false)
      expect((await attempt(`cat ${outside} /var/tmp/${path.basename(outside)}`)).text).toBe('x\nx\n')
      expect((await attempt(`echo x > ${outside}-2 && cat ${outside}-2`, 'read-only')).text).toBe('x\n')
      expect(existsSync(`${outside}-2`)).toBe(false)
    })

    test('any file, without an approval', async () => {
      const { text } = await attempt(
        'for c in "touch x" "rm -r sub" "mv sub y" "mkdir z" "chmod 700 sub" "ln -s a b" "touch -d 2001-01-01 sub" "truncate -s 0 server.pem"; do $c && echo "ESCAPED $c"; done 2>&1; echo over',
        'read-only',
      )
      expect(text).not.toContain('ESCAPED')
      expect(text).toContain('Read-only file system')
      expect(text).toContain('over')
      expect(statSync(path.join(place.workspace, 'sub')).mode & 0o777).toBe(0o755)
    })

    test('the workspace can be written', async () => {
      expect((await attempt('echo hello > sub/file && mkdir -p a/b && mv sub/file a/b/ && cat a/b/file')).text).toBe(
        'hello\n',
      )
      expect(readFileSync(path.join(place.workspace, 'a/b/file'), 'utf8')).toBe('hello\n')
    })
  })

  describe('to the network:', () => {
    const escapes: Escape[] = [
      { name: 'a server of ours', command: 'cat < "/dev/tcp/127.0.0.1/$PORT"' },
      {
        name: 'a server of ours, from a program',
        command: `"$NODE" -e 'require("net").connect(process.argv[1], "127.0.0.1").on("data", (d) => console.log(String(d))).on("error", () => 0)' "$PORT"`,
      },
      { name: 'a server of ours, by another name', command: 'cat < "/dev/tcp/localhost/$PORT"' },
    ]
    test.each(escapes)('$name', async ({ command }) => {
      const before = place.connected()
      for (const confinement of ['workspace', 'read-only'] as const)
        expect((await attempt(command, confinement)).text).not.toContain(canary)
      expect(place.connected()).toBe(before)
      expect((await attempt(command, 'none')).text).toContain(canary)
    })

    test('names, and any address', async () => {
      const { text } = await attempt(
        'getent hosts example.com && echo ESCAPED; for to in 8.8.8.8/53 1.1.1.1/443 169.254.169.254/80; do (exec 9<> "/dev/tcp/$to") 2>&1 && echo ESCAPED; done; (exec 9<> /dev/udp/8.8.8.8/53; echo x >&9) 2>&1 && echo ESCAPED; tail -n +3 /proc/net/dev | cut -d: -f1',
      )
      expect(text).not.toContain('ESCAPED')
      expect(text).toContain('Network is unreachable')
      expect(text.trim().split('\n').at(-1)!.trim()).toBe('lo')
    })

    test.each([
      ['in a folder outside', () => path.join(place.folder, 'outside/docker.sock')],
      ['in the temporary folder', () => `/tmp/troupe-test-${process.pid}.sock`],
      ['without a file', () => `\0troupe-test-${process.pid}`],
    ])('a socket %s', async (_name, name) => {
      const server = createServer((socket) => socket.end(canary)).listen(name())
      await new Promise((resolve) => server.once('listening', resolve))
      const connect = `"$NODE" -e 'require("net").connect(JSON.parse(process.argv[1])).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))' '${JSON.stringify(name())}'`
      expect((await attempt(connect)).text).not.toContain(canary)
      expect((await attempt(connect, 'none')).text).toContain(canary)
      server.close()
    })

    test('the user’s sockets that programs look for', async () => {
      const { text } = await attempt(
        'ls -d /run/docker.sock /var/run/docker.sock /run/user /run/dbus /tmp/.X11-unix /tmp/ssh-* 2>/dev/null; env | grep -E "SSH_AUTH_SOCK|DBUS|DISPLAY|WAYLAND|DOCKER_HOST|XDG_RUNTIME"',
      )
      expect(text).toBe('')
    })
  })

  describe('to other processes:', () => {
    const escapes: Escape[] = [
      { name: 'a signal', command: 'kill -0 "$VICTIM" && echo ESCAPED' },
      { name: 'what is in memory', command: 'cat "/proc/$VICTIM/maps" > /dev/null && echo ESCAPED' },
      { name: 'a change of its priority', command: 'renice -n 1 -p "$VICTIM" && echo ESCAPED' },
    ]
    test.each(escapes)('$name', async ({ command }) => {
      expect((await attempt(command)).text).not.toContain('ESCAPED')
      expect((await attempt(command, 'none')).text).toContain('ESCAPED')
    })

    test('a signal to all processes ends only those inside', async () => {
      await attempt('sleep 60 & kill -9 -1')
      expect(sendSignalTo(place.victim, 0)).toBe(true)
      await attempt('kill -TERM 0')
      expect(sendSignalTo(place.victim, 0)).toBe(true)
    })

    test('shared memory and messages', async () => {
      const shared = `/dev/shm/troupe-test-${process.pid}`
      writeFileSync(shared, '')
      const { text } = await attempt('ipcs -a 2>/dev/null | grep -c 0x; ls -A /dev/shm; ls -A /dev/mqueue 2>/dev/null')
      rmSync(shared)
      // If temporary files are in memory, the path to them exists.
      const [, ownFolder = ''] = /^\/dev\/shm\/([^/]+)/.exec(tmpdir()) ?? []
      expect(text.split('\n').filter((line) => line !== '' && line !== '0' && line !== ownFolder)).toEqual([])
    })
  })

  describe('to the kernel:', () => {
    const attempts = [
      'mount -t tmpfs none /mnt',
      'mkdir -p m; mount -t tmpfs none m',
      'mkdir -p m; mount --bind "$OUTSIDE" m',
      'mount -o remount,rw /usr',
      'umount .troupe',
      'umount -l /proc',
      'unshare -U true',
      'unshare -Urm true',
      'unshare -n true',
      'unshare -p -f true',
      'nsenter -t 1 -m true',
      'chroot / true',
      'mknod device b 8 0',
      'mknod device c 1 1',
      'hostname other',
      'date -s 2001-01-01',
      'echo x > /proc/sys/kernel/core_pattern',
      'echo x > /proc/sys/kernel/hostname',
      'echo h > /proc/sysrq-trigger',
      'echo -17 > /proc/1/oom_score_adj',
      'touch /dev/new',
      'touch /new',
      'cat /dev/mem',
      'cat /dev/kmsg',
      'ls /sys/fs/cgroup',
      'ls /dev/sd* /dev/vd* /dev/nvme* /dev/loop* /dev/fuse /dev/kvm',
      'sudo -n true',
      'ulimit -f unlimited',
      'ulimit -t unlimited',
      'ulimit -u unlimited',
    ]
    test.concurrent.for(attempts)('%s', async (command) => {
      const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8')
      const { text } = await attempt(`{ ${command}; } 2>&1 && echo ESCAPED`)
      expect(text).not.toContain('ESCAPED')
      expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before)
    })

    test('it has no rights, and no way to any', async () => {
      const { text } = await attempt('cat /proc/self/status')
      for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
        expect(text).toMatch(new RegExp(`^${name}:\\t0+$`, 'm'))
      expect(text).toMatch(/^NoNewPrivs:\t1$/m)
      expect(
        (await attempt('cut -d" " -f6 /proc/self/mountinfo')).text
          .trim()
          .split('\n')
          .every((flags) => flags.includes('nosuid')),
      ).toBe(true)
    })

    test('calls that no namespace keeps apart do not work', async () => {
      expect((await attempt('cat /proc/self/status; ls /proc/self/fd')).text).toMatch(/^Seccomp:\t2$/m)
      if (process.arch !== 'x64' || !existsSync('/usr/bin/perl')) return
      const call = (numbers: string): Promise<{ text: string }> =>
        attempt(`perl -e 'print syscall(${numbers}) == -1 ? "refused: $!\\n" : "ESCAPED\\n"'`)
      // Session keys of the user, sockets to a VM host, tracing, and system calls that bypass the filter.
      for (const numbers of [
        '250, 0, -3, 1',
        '41, 40, 1, 0',
        '41, 38, 5, 0',
        '298, 0, 0, 0, 0, 0',
        '321, 0, 0, 0',
        '425, 1, 0',
        '103, 3, 0, 0',
        '0x40000027',
      ])
        expect((await call(numbers)).text).toMatch(/^refused: /)
      for (const numbers of ['41, 1, 1, 0', '41, 2, 1, 0', '39']) expect((await call(numbers)).text).toBe('ESCAPED\n')
    })

    test('it has no open files but its own, regardless of our process', async () => {
      const program = `
        import { findSandbox } from ${JSON.stringify(path.join(import.meta.dirname, 'find-sandbox.ts'))}
        import { openTestShell } from ${JSON.stringify(path.join(import.meta.dirname, '../testing/test-shell.ts'))}
        import bash from ${JSON.stringify(path.join(import.meta.dirname, '../tools/bash.ts'))}
        const shell = openTestShell({ confinement: 'workspace', ...(await findSandbox()) })
        const { output } = await shell.call(bash, { command: 'cat /proc/self/fd/7/secret; ls /proc/self/fd | tr "\\n" " "' })
        console.log(output.text)
        await shell.close()`
      const script = `exec 7< '${path.join(place.folder, 'outside')}' 218< /; exec '${process.execPath}' --conditions=troupe-source --input-type=module -e "$1"`
      const { stdout } = spawnSync('bash', ['-c', script, 'bash', program], { encoding: 'utf8' })
      expect(stdout).not.toContain(canary)
      expect(stdout.trim().split('\n').at(-1)).toBe('0 1 2 219 3')
    })

    test.runIf(existsSync('/usr/bin/perl'))('a process cannot type into another terminal', async () => {
      const granted = { confinement: 'workspace' as const, grants: [] }
      const cmd = `perl -e 'print ioctl(STDIN, 0x5412, my $c = "x") ? "ESCAPED" : "refused: $!"'`
      const look = await execCommand.execute(execCommand.input.parse({ cmd }), { ...place.ctx, granted })
      expect((look as { text: string }).text).toMatch(/^refused: /)
    })

    test('without a terminal, there is none to type into', async () => {
      expect((await attempt('(exec 9<> /dev/tty) 2>&1 && echo ESCAPED')).text).not.toContain('ESCAPED')
      expect((await attempt('ls -A /dev/pts')).text.replace('ptmx\n', '')).toBe('')
    })
  })

  describe('with more than its share:', () => {
    test('a file of 1 GB and more', async () => {
      const { exitCode, modelText: told } = await attempt(
        'truncate -s 1000000001 big; ls -s big; head -c 10 /dev/zero > big && echo small',
      )
      expect(exitCode).toBe(0)
      expect((await attempt('truncate -s 1500000000 big 2>&1')).exitCode).not.toBe(0)
      expect((await attempt('dd if=/dev/zero of=big bs=1M seek=1000 count=1 2>&1')).modelText).toContain(
        'no file may be larger than 1 GB',
      )
      expect(told).toContain('small')
      expect(statSync(path.join(place.workspace, 'big')).size).toBeLessThan(1_000_000_000)
    })

    test('memory in the guise of files', async () => {
      const { text } = await attempt(
        'fallocate -l 600000000 /tmp/big; fallocate -l 300000000 ~/big; fallocate -l 300000000 /dev/shm/big; fallocate -l 1000000 ~/small && echo small',
        'read-only',
      )
      expect(text.match(/No space left on device/g)).toHaveLength(3)
      expect(text).toMatch(/small\n$/)
      // In a session /tmp is on disk, the others are in memory.
      const { text: session } = await attempt('for to in ~ /dev/shm; do fallocate -l 300000000 "$to/big"; done')
      expect(session.match(/No space left on device/g)).toHaveLength(2)
    })

    test('memory', async () => {
      const { text } = await attempt(
        `ulimit -d; "$NODE" -e 'Buffer.alloc(Number(process.argv[1]))' 60000000000 2>&1 | grep -ciE "allocat|memory|invalid"`,
      )
      expect(Number(text.split('\n')[0])).toBeLessThan(2 ** 40)
      expect(Number(text.split('\n')[1])).toBeGreaterThan(0)
    })

    test.runIf(isRoot)('processes of root, which the kernel does not count: we do', async () => {
      const all = () => membersOf({ mark: `${place.state.tasks.mark}.` }, { fresh: true })
      const bomb = attempt('for i in {1..400}; do sleep 60 & done; wait')
      await vi.waitUntil(() => all().length > 50)
      const stop = watchProcesses(all()[0]!.group, 100)
      const { exitCode } = await bomb
      stop()
      expect(exitCode).toBe(null)
      expect(all()).toEqual([])
    })

    test.skipIf(isRoot)('processes', async () => {
      const start = `let refused = 0; for (let i = 0; i < 60; i++) require("child_process").spawn("sleep", ["60"]).on("error", () => refused++); setTimeout(() => { console.log(refused); process.exit() }, 100)`
      const { text } = await attempt(`ulimit -u; ulimit -u 40; "$NODE" -e '${start}'; kill -9 -1`)
      const [most, refused] = text.split('\n').map(Number)
      expect(most).toBeLessThanOrEqual(2048)
      expect(refused).toBeGreaterThan(10)
    })

    test('time: detached processes end with the command', async () => {
      const { modelText: told } = await place.run(
        'setsid sleep 601 & nohup sleep 602 > /dev/null 2>&1 & (setsid bash -c "sleep 603 & disown" &) ; env -i setsid --fork sleep 604; sleep 60',
        'workspace',
        { timeout: 400 },
      )
      expect(told).toContain('Timed out')
      expect(membersOf({ mark: `${place.state.tasks.mark}.` }, { fresh: true })).toEqual([])
    })
  })
})
