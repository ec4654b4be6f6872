import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { installWithApt, isRootOnDebian } from './apt.mjs'
import { say } from './run.mjs'

/** Team mode stores everything in it, so its tests belong to every run. */
const postgres = { name: 'initdb', packages: ['postgresql'], for: 'Postgres', versions: '/usr/lib/postgresql' }

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
  { name: 'gopls', packages: ['gopls', 'golang-go'], for: 'the Go language server' },
  postgres,
  { name: 'mariadbd', packages: ['mariadb-server'], for: 'MariaDB' },
]

/** Packages that every test run needs and that are missing. */
export function missingPackages(env = process.env) {
  return isThere(postgres, env) ? [] : postgres.packages
}

/** Installs missing programs: Postgres always, the others for `TROUPE_TEST_FULL=1`. Prints what is skipped. */
export async function provideOptionalPrograms(env = process.env) {
  let missing = programs.filter((program) => !isThere(program, env))
  const wanted = missing.filter((program) => program === postgres || env.TROUPE_TEST_FULL === '1')
  if (wanted.length > 0 && isRootOnDebian()) {
    say(`installing ${wanted.map(({ name }) => name).join(', ')} through apt`)
    for (const { packages } of wanted) await installWithApt(...packages).catch(() => undefined)
    missing = missing.filter((program) => !isThere(program, env))
  }
  if (missing.length > 0)
    say(
      `not installed, so their tests are skipped: ${missing.map(({ name, for: use }) => `${name} (${use})`).join(', ')}`,
    )
}

function isThere({ name, versions }, env) {
  const own = versions !== undefined && existsSync(versions) ? readdirSync(versions) : []
  const places = [
    ...own.map((version) => path.join(versions, version, 'bin')),
    '/usr/bin',
    '/usr/sbin',
    ...(env.PATH ?? '').split(path.delimiter),
  ]
  return places.some((folder) => existsSync(path.join(folder, name)))
}
