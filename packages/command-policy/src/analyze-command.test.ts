import { describe, expect, it } from 'vitest'
import { cost } from '../../protocol/testing/test-effort.ts'
import { analyzeCommand } from './analyze-command.ts'
import type { CommandAnalysis, ShellContext } from './command-analysis.ts'
import { readCommands } from './testing/bash-trials.ts'

const analyze = (text: string, more: Partial<ShellContext> = {}): CommandAnalysis =>
  analyzeCommand(text, { cwd: '/ws', home: '/home/me', ...more })
const texts = (text: string): string[] => analyze(text).commands.map((found) => found.text)
const paths = (uses: CommandAnalysis['reads']): string[] => uses.map(({ path }) => path)

describe('the commands in a text', () => {
  it('are found at any position, with their wrappers', () => {
    const found = (text: string): [string, string][] =>
      analyze(text).commands.map((one) => [one.text, one.via.join(' > ')])
    expect(found('env A=1 timeout 5 nice rm x')).toEqual([
      ['env A=1 timeout 5 nice rm x', ''],
      ['timeout 5 nice rm x', 'env'],
      ['nice rm x', 'env > timeout'],
      ['rm x', 'env > timeout > nice'],
    ])
    expect(found(`bash -c 'a; eval "b $(c)"'`).slice(1)).toEqual([
      ['a', 'bash -c'],
      ['c', 'bash -c > substitution'],
      ['eval "b $(c)"', 'bash -c'],
      ['b ${_}', 'bash -c > eval'],
    ])
    expect(found(`find . -name x -exec rm -f {} ';'`)[1]).toEqual(['rm -f {}', 'find -exec'])
    expect(found('sudo -u root xargs -0 rm -f')[2]).toEqual(['rm -f', 'sudo > xargs'])
    expect(found('cat <<E | sh\nrm x\nE')[2]).toEqual(['rm x', 'input of sh'])
    expect(found(`trap 'rm x' EXIT`)[1]).toEqual(['rm x', 'trap'])
    expect(found('f() { rm x; }; f')[0]).toEqual(['rm x', 'function f'])
    expect(found('ssh -p 22 host rm x')[1]).toEqual(['rm x', 'ssh'])
    expect(found(`git -c alias.a='!rm x' a`)[1]).toEqual(['rm x', 'git'])
    expect(found(`docker exec -it box sh -c 'rm x'`).at(-1)).toEqual(['rm x', 'docker exec > sh -c'])
    expect(analyze('ssh host rm x').commands[1]?.remote).toBe(true)
    const others = [
      `env -iS 'rm x'`,
      'nice --5 rm x',
      'timeout -- 5 rm x',
      `su root -c 'rm x'`,
      `script /dev/null -c 'rm x'`,
      `flock l -c 'rm x'`,
      `parallel ::: 'rm x'`,
      'watch rm x',
      `ssh -o ProxyCommand='rm x' host`,
      'kubectl exec pod -c box -- rm x',
      'docker -H y compose exec box rm x',
      `npx -c 'rm x'`,
      'npm --prefix y exec rm x',
      `at now <<< 'rm x'`,
      `bash -eo pipefail -c 'rm x'`,
      `bash +x -c -- 'rm x'`,
      `tar cf y --checkpoint-action exec='rm x'`,
      `vim -c ':!rm x'`,
      `awk 'BEGIN { system("rm x") }'`,
      `perl -e '\`rm x\`'`,
      `python3 -c "import subprocess; subprocess.run('rm x', shell=True)"`,
      `PROMPT_COMMAND='rm x'`,
      `PS4='$(rm x)'`,
      `mapfile -C 'rm x' -c 1 y`,
      `sort --compress-prog='rm x' y`,
      'coproc rm x',
      'rm\\\nx; r\\\nm x',
      `$'\\x72m' x`,
    ]
    for (const text of others) expect([text, texts(text)]).toEqual([text, expect.arrayContaining(['rm x'])])
  })

  it('have exact words only if these are certain', () => {
    const [plain] = analyze(`r""m -f 'a b'`).commands
    expect(plain).toMatchObject({ text: `rm -f 'a b'`, argv: ['rm', '-f', 'a b'], literalPrefix: ['rm', '-f', 'a b'] })
    const [open] = analyze('rm -rf $X y').commands
    expect(open).toMatchObject({
      argv: null,
      literalPrefix: ['rm', '-rf'],
      guess: { words: ['rm', '-rf'], complete: false },
    })
    expect(analyze('echo a | xargs rm').commands.at(-1)).toMatchObject({ argv: null, literalPrefix: ['rm'] })
  })

  it('are guessed for rules that forbid', () => {
    const guess = (text: string): readonly string[] | undefined => analyze(text).commands.at(-1)?.guess.words
    expect(guess('X=rm; $X -rf ~/a')).toEqual(['rm', '-rf', '/home/me/a'])
    expect(guess('rm${IFS}-rf${IFS}x')).toEqual(['rm', '-rf', 'x'])
    expect(guess('{rm,-rf,x}')).toEqual(['rm', '-rf', 'x'])
    expect(guess('$(echo rm) x')).toEqual(['rm', 'x'])
    for (const text of ['echo ${x\\\n:-$(rm x)}', 'X=rm; $\\\nX x']) expect(analyze(text).unseen).toBeDefined()
    expect(analyze('ls -la \\\n  src').unseen).toBeUndefined()
    for (const text of ['X=rm; $X x', '{rm,x}', '$(echo rm) x', '$X', '"$@"'])
      expect(analyze(text).unseen).toBeDefined()
  })

  it('count a relevant variable as a separate part, for every way to set it', () => {
    for (const text of [
      'PATH=.',
      'for PATH in .; do npm test; done',
      '((PATH=1))',
      'read PATH',
      'printf -v PATH x',
      'echo ${PATH:=x}',
    ]) {
      const set = analyze(text).commands.find(({ assignments }) => assignments.some(({ name }) => name === 'PATH'))
      expect([text, set?.harmless, analyze(text).contained]).toEqual([text, false, false])
    }
    const [wrapper, inner] = analyze('PATH=. timeout 5 npm test').commands
    expect(wrapper?.transparent).toBeUndefined()
    expect(inner?.assignments).toEqual([{ name: 'PATH', value: '.', safe: false }])
    expect(analyze('CI=1 npm test').commands[0]?.assignments[0]?.safe).toBe(true)
    expect(analyze('x=1; echo a').commands[0]?.harmless).toBe(true)
  })

  it('keep their folder unless a cd changes it', () => {
    const cwds = (text: string): (string | null)[] => analyze(text).commands.map(({ cwd }) => cwd)
    expect(cwds('cd a && ls')).toEqual(['/ws', '/ws/a'])
    expect(cwds('cd a/../b && ls')).toEqual(['/ws', '/ws/b'])
    expect(cwds('cd a; ls')).toEqual(['/ws', null])
    expect(cwds('cd a || ls')).toEqual(['/ws', '/ws'])
    expect(cwds('(cd a && make); make')).toEqual(['/ws', '/ws/a', '/ws'])
    expect(cwds('cd a | ls')).toEqual(['/ws', '/ws'])
    expect(cwds('cd $X && ls')).toEqual(['/ws', null])
    expect(cwds('cd && ls')).toEqual(['/ws', '/home/me'])
    expect(cwds('if x; then cd a; fi; ls').at(-1)).toBeNull()
  })

  it('are harmless one by one, so that a rule for the others is sufficient', () => {
    const harmless = analyze('cd a && npm test | tail -5 && echo done').commands.map((found) => found.harmless)
    expect(harmless).toEqual([true, false, true, true])
    expect(analyze('ls() { x; }; ls').commands.some((found) => found.harmless)).toBe(false)
    expect(analyze('alias ls=x; ls').commands.some((found) => found.harmless)).toBe(false)
  })

  it('are distinguished from wrappers and openers', () => {
    const transparent = (text: string): (true | undefined)[] => analyze(text).commands.map((one) => one.transparent)
    expect(transparent('timeout 5 npm test')).toEqual([true, undefined])
    expect(transparent('timeout --odd 5 npm test')[0]).toBeUndefined()
    expect(transparent('env npm test')[0]).toBeUndefined()
    expect(transparent('{ npm test; } > out')).toEqual([true, undefined])
    expect(texts('{ npm test; } > out')[0]).toBe('> out')
  })
})

describe('the files of a command', () => {
  it('are the files it is asked to read', () => {
    const reads = (text: string): string[] => paths(analyze(text).reads)
    expect(reads('cat ~/.ssh/id_rsa .env')).toEqual(['/home/me/.ssh/id_rsa', '/ws/.env'])
    expect(reads('grep -n x < .env')).toEqual(['/ws/.env'])
    expect(reads('grep -f .env a')).toEqual(['/ws/.env', '/ws/a'])
    expect(reads('head -n1 ../other')).toEqual(['/other'])
    expect(reads('cd a && cat ../b')).toEqual(['/ws/a', '/ws/a/../b'])
    expect(reads('cd a; cat b')).toEqual(['/ws/a', '/ws/a/b', '/ws/b'])
    expect(reads('cat a/../b')).toEqual(['/ws/a/../b'])
    expect(reads('git show HEAD:.env')).toContain('/ws/.env')
    expect(reads(`awk '{print}' a x=1`)).toEqual(['/ws/a'])
    expect(reads('echo .env')).toEqual([])
    expect(reads('cp .env x')).toEqual(['/ws/.env'])
    // For programs whose options end at the first operand, the value is a file.
    expect(reads('cut -f1 a -d .env')).toContain('/ws/.env')
  })

  it('say how far they reach', () => {
    expect(analyze('grep -rn x src').reads).toEqual([{ path: '/ws/src', spread: 'tree' }])
    expect(analyze('rg x').reads).toEqual([{ path: '/ws', spread: 'tree', hidden: [] }])
    expect(analyze('rg -g .env x').reads).toEqual([{ path: '/ws', spread: 'tree', hidden: ['.env'], only: ['.env'] }])
    expect(analyze('rg --glob-case-insensitive -g .ENV x').reads).toEqual([{ path: '/ws', spread: 'tree' }])
    expect(analyze('rg --hidden -t toml x').reads).toMatchObject([{ only: ['*.toml', 'Cargo.lock'] }])
    expect(analyze('rg --files').reads).toMatchObject([{ names: true }])
    expect(analyze('rg -u x').reads).toEqual([{ path: '/ws', spread: 'tree' }])
    expect(analyze('find src').reads).toEqual([{ path: '/ws/src', spread: 'tree', names: true }])
    expect(analyze('ls src').reads).toEqual([{ path: '/ws/src', names: true }])
    expect(analyze('cat src/*.ts > x').reads).toEqual([{ path: '/ws/src/*.ts', spread: 'glob' }])
    expect(analyze('cat "src/*.ts"').reads).toEqual([{ path: '/ws/src/*.ts' }])
    expect(analyze('cat $X').opaque).toBeDefined()
    expect(analyze(`awk '{ print > "x" }' a`).opaque).toBeDefined()
  })

  it('are the files it writes, moves and removes', () => {
    const writes = (text: string): string[] => paths(analyze(text).writes)
    expect(writes('ls > out 2>> err < in')).toEqual(['/ws/out', '/ws/err'])
    expect(analyze('ls > out').writes).toEqual([{ path: '/ws/out', redirected: true }])
    expect(writes('rm -rf a b')).toEqual(['/ws/a', '/ws/b'])
    expect(writes('mv a b')).toEqual(['/ws/a', '/ws/b'])
    expect(writes('cp a b')).toEqual(['/ws/b'])
    expect(writes('tee -a x | sort -o y')).toEqual(['/ws/x', '/ws/y'])
    expect(writes('sed -i s/a/b/ x')).toContain('/ws/x')
    expect(writes('dd of=x; bash -c "rm y"')).toContain('/ws/y')
    expect(writes('ls > /dev/null 2>&1')).toEqual([])
    expect(writes('{ ls; } > ~/x')).toEqual(['/home/me/x'])
  })
})

describe('a harmless command', () => {
  it('is not harmless if an earlier command set a relevant variable', () => {
    expect(analyze('ls', { env: ['FOO', 'LC_ALL', 'CI'] }).harmless).toBe(true)
    for (const name of [
      'PATH',
      'LD_PRELOAD',
      'BASH_ENV',
      'GIT_DIR',
      'IFS',
      'NODE_OPTIONS',
      'CDPATH',
      'RIPGREP_CONFIG_PATH',
      'http_proxy',
    ])
      expect([name, analyze('ls', { env: [name] }).harmless]).toEqual([name, false])
  })

  it('is not harmless if its name resolves to another program', () => {
    expect(analyze('ls', { isProgram: () => false }).harmless).toBe(false)
    expect(analyze('echo a', { isProgram: () => false }).harmless).toBe(true)
    expect(analyze('/bin/ls').harmless).toBe(true)
    expect(analyze('./ls').harmless).toBe(false)
    expect(analyze('/tmp/ls').harmless).toBe(false)
  })

  it('can be git only if the folder configures no programs, and without a pager', () => {
    expect(analyze('git status').harmless).toBe(false)
    const isPlainRepository = (folder: string): boolean => folder === '/ws'
    expect(analyze('git status', { isPlainRepository }).harmless).toBe(true)
    expect(analyze('cd a && git status', { isPlainRepository }).harmless).toBe(false)
    expect(analyze('git log', { isPlainRepository, terminal: true }).harmless).toBe(false)
    expect(analyze('git --no-pager log', { isPlainRepository, terminal: true }).harmless).toBe(true)
  })

  it('contains no invisible characters', () => {
    for (const odd of [
      '\u200b',
      '\u202e',
      '\u00a0',
      '\ufeff',
      '\u2028',
      '\x01',
      '\x7f',
      '\r',
      '\u{e000}',
      '\u{e0041}',
      '\u00ad',
    ])
      expect([odd, analyze(`echo 'a${odd}b'`).harmless]).toEqual([odd, false])
    expect(analyze(`echo 'naïve 日本 🎉'`).harmless).toBe(true)
    expect(analyze('echo naïve').harmless).toBe(false)
    expect(analyze('echo "é\\";evil;"').harmless).toBe(false)
  })
})

describe('never-run commands', () => {
  it.each(readCommands('never-run.txt').map(({ command }) => command))('%s', (text) => {
    const { floor, harmless, contained } = analyze(text)
    expect([floor !== undefined, harmless, contained]).toEqual([true, false, false])
  })

  const allowed = [
    'rm -rf node_modules',
    'rm -rf ./*',
    'rm -rf /tmp/x',
    'rm -rf ~/project/dist',
    'rm -rf "$X"',
    'rm /etc',
    'cd "$X" && rm -rf var',
    'echo rm -rf /',
    'git commit -m "rm -rf /"',
    `echo 'curl x | sh'`,
    'cat > install.sh <<E\ncurl x | sh\nE',
    'curl x | jq .',
    'curl x | grep sh',
    'curl x -o y',
    `curl x | python3 -c 'import json'`,
    'curl x | python3 -m json.tool',
    `curl x | node -e 'process.stdin'`,
    'curl x | perl -pe s/a/b/',
    'curl x | bash -c "cat"',
    'curl x | sh script.sh',
    'bash script.sh "$(curl x)"',
    'dd if=/dev/sda of=image',
    'find / -name x -delete',
    'find . -delete',
    'chmod -R 755 dist',
    'chmod 777 /tmp',
    'mv a ~',
    'kill -9 1234',
    'kill -1 1234',
    'shutdown -c',
    'systemctl status x',
    'init 3',
    'f() { f2; f3 & }; f',
    'walk() { for x in *; do walk "$x"; done; }; walk',
    'fdisk -l /dev/sda',
    'cat /dev/sda > x',
    'ssh host reboot',
    'docker run x rm -rf /',
    'ls > /dev/null',
  ]
  it.each(allowed)('do not include: %s', (text) => expect(analyze(text).floor).toBeUndefined())
})

describe('limits', () => {
  it('are reported, and nothing beyond them is harmless', () => {
    const beyond = [
      'ls '.repeat(3000),
      'ls;'.repeat(2000),
      `${'$('.repeat(200)}ls${')'.repeat(200)}`,
      `${'eval '.repeat(100)}ls`,
      `${'env '.repeat(100)}ls`,
    ]
    for (const text of beyond) {
      const { overLimit, harmless, contained } = analyze(text)
      expect([overLimit !== undefined, harmless, contained]).toEqual([true, false, false])
    }
    expect(analyze('x=aaaaaaaaaa;'.concat('x=$x$x;'.repeat(200))).harmless).toBe(false)
  })

  it('match every regular expression in linear time', async () => {
    const units = [
      ...['s/a/b/;', 's|', '[', '\\', 'e ', '/,', '{', '1!', 'y:'].map((unit) => ['sed', unit]),
      ...['{print $1} ', '"', '/', '|', 'a[', '/[', 'system("', '"a"|'].map((unit) => ['awk', unit]),
      ...['system("', 'fork ', 'while 1', '`', 'run(["'].map((unit) => ['python3 -c', unit]),
      ...['-o', 'a=b ', '{}', '%n', '../', '**', 'ProxyCommand='].map((unit) => ['ssh', unit]),
    ]
    for (const [program = '', unit = ''] of units) {
      const inner = unit.repeat(Math.floor(8000 / unit.length))
      for (const text of [`${program} '${inner}'`, `${program} ${inner}`]) {
        const cpuMs = await cost(() => analyze(text), 1)
        expect([program, unit, cpuMs < 1000]).toEqual([program, unit, true])
      }
    }
  })

  it('do not read unreadable input', () => {
    for (const text of ['ls "', 'ls $(', 'if ls', 'ls )', 'ls && ', '!(rm x)', 'echo @(a)', 'ls >&-rm']) {
      const { harmless, contained } = analyze(text)
      expect([text, harmless, contained]).toEqual([text, false, false])
    }
    expect(analyze('').harmless).toBe(true)
    expect(analyze('# only words').harmless).toBe(true)
  })
})
