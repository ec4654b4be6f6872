import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Who commits and how files are written. Nothing that names a key, a password, an address or a program. */
const copiedSettings = new Set([
  'user.name',
  'user.email',
  'init.defaultbranch',
  'core.autocrlf',
  'core.eol',
  'core.quotepath',
  'merge.conflictstyle',
  'safe.directory',
])

/** What git may know of the person's own settings inside the sandbox, as a file for it. Undefined where there is nothing. */
export async function gitSettings(env: Record<string, string>): Promise<string | undefined> {
  const listing = await promisify(execFile)('git', ['config', '--global', '--list', '-z'], { env, cwd: '/' }).catch(
    // There is no git, or there are no settings.
    () => undefined,
  )
  const lines = (listing?.stdout ?? '').split('\0').flatMap((entry) => {
    const at = entry.indexOf('\n')
    const name = entry.slice(0, at)
    if (at === -1 || !copiedSettings.has(name)) return []
    const [section, key] = name.split('.')
    return `[${section}]\n\t${key} = ${quoted(entry.slice(at + 1))}\n`
  })
  return lines.length === 0 ? undefined : lines.join('')
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`
}
