import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { programs } from './random-commands.ts'

/**
 * Returns the simple commands bash really ran for each text, word by word. No program runs: every name is intercepted
 * before lookup. For a text that does not finish, returns the commands seen so far. `workspace`: folder to run in,
 * instead of an empty one.
 */
export async function executedCommands(texts: readonly string[], workspace?: string): Promise<string[][][]> {
  const ran: string[][][] = texts.map(() => [])
  for (let from = 0; from < texts.length;) from += await runBatch(texts.slice(from, from + 2000), ran, from, workspace)
  return ran
}

/** Returns the number of completed texts. */
async function runBatch(
  texts: readonly string[],
  ran: readonly string[][][],
  from: number,
  workspace: string | undefined,
): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'fuzz-'))
  writeFileSync(path.join(folder, 'texts'), texts.map((text) => `${text}\0`).join(''))
  const catches = [...programs, 'true', 'false', ':', 'pwd', 'type', 'env']
    .filter((name) => name !== 'x')
    .map((name) => `function ${name} { note "\${FUNCNAME[0]}" "$@"; }`)
    .join('\n')
  const driver = `
note() { builtin printf '%s\\0' "$number" "$#" "$@" >>"/fuzz/log.$BASHPID"; }
${catches}
command_not_found_handle() { note "$@"; }
exec 8</fuzz/texts
PATH=/nowhere
number=0
while note; IFS= builtin read -r -d '' -u 8 text; do
  ( exec 8<&-; ulimit -t 1; eval "$text" ) </dev/null >/dev/null 2>&1
  number=$((number + 1))
done
builtin printf 'end\\0' >/fuzz/end
`
  const args = [
    ...'--unshare-all --die-with-parent --new-session --clearenv --ro-bind /usr /usr --dev /dev --proc /proc'.split(
      ' ',
    ),
    ...'--symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --setenv HOME /home/me'.split(' '),
    ...(workspace === undefined
      ? '--tmpfs /ws --chdir /ws'
      : `--ro-bind ${workspace} ${workspace} --chdir ${workspace}`
    ).split(' '),
    ...`--bind ${folder} /fuzz --setenv LANG C.UTF-8 timeout -s KILL 30 /bin/bash --noprofile --norc -c`.split(' '),
    driver,
    'bash',
  ]
  const bash = spawn('/usr/bin/bwrap', args, { stdio: ['ignore', 'ignore', 'pipe'], env: {} })
  let complaint = ''
  bash.stderr.on('data', (piece: Buffer) => (complaint += piece.toString('utf8')))
  await new Promise((resolve) => bash.on('close', resolve))
  // One file per process: bash writes line by line, so the parts of a pipeline would mix in a shared one.
  const names = readdirSync(folder)
  const logs = names.filter((name) => name.startsWith('log.'))
  const read = logs.map((name) => readFileSync(path.join(folder, name), 'utf8').split('\0'))
  rmSync(folder, { recursive: true, force: true })
  let last = -1
  for (const fields of read) {
    for (let at = 0; at + 1 < fields.length;) {
      const count = Number(fields[at + 1])
      last = Math.max(last, Number(fields[at]))
      if (count > 0) ran[from + Number(fields[at])]?.push(fields.slice(at + 2, at + 2 + count))
      at += 2 + count
    }
  }
  if (last === -1) throw new Error(`bash did not start: ${complaint.slice(0, 500)}`)
  return names.includes('end') ? texts.length : last + 1
}
