import { existsSync } from 'node:fs'
import path from 'node:path'
import { installWithApt, isRootOnDebian } from './apt.mjs'
import { say } from './run.mjs'

/** Programs that Troupe uses where they are installed. Tests that need a missing one are skipped. */
const programs = [
  {
    name: 'soffice',
    packages: ['libreoffice-writer-nogui', 'libreoffice-calc-nogui', 'libreoffice-impress-nogui'],
    for: 'office conversion',
  },
  { name: 'pdftotext', packages: ['poppler-utils', 'poppler-data'], for: 'comparison of PDF texts' },
  { name: 'tesseract', packages: ['tesseract-ocr'], for: 'text recognition' },
  { name: 'clangd', packages: ['clangd'], for: 'the C language server' },
  { name: 'gopls', packages: ['gopls'], for: 'the Go language server' },
  { name: 'pg_ctl', packages: ['postgresql'], for: 'Postgres', folders: '/usr/lib/postgresql' },
  { name: 'mariadbd', packages: ['mariadb-server'], for: 'MariaDB' },
]

/** Installs missing programs for `TROUPE_TEST_FULL=1`. Otherwise prints what is skipped. */
export async function provideOptionalPrograms(env = process.env) {
  let missing = programs.filter((program) => !isThere(program, env))
  if (env.TROUPE_TEST_FULL === '1' && missing.length > 0 && isRootOnDebian()) {
    say(`installing ${missing.map(({ name }) => name).join(', ')} through apt`)
    for (const { packages } of missing) await installWithApt(...packages).catch(() => undefined)
    missing = missing.filter((program) => !isThere(program, env))
  }
  if (missing.length > 0)
    say(
      `not installed, so their tests are skipped: ${missing.map(({ name, for: use }) => `${name} (${use})`).join(', ')}`,
    )
}

function isThere({ name, folders }, env) {
  if (folders !== undefined && existsSync(folders)) return true
  const places = ['/usr/bin', '/usr/sbin', ...(env.PATH ?? '').split(path.delimiter)]
  return places.some((folder) => existsSync(path.join(folder, name)))
}
