import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const file = 'docs/reference/library.md'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Generates the reference of the library's turns: every public name with its signature and comment, from the compiler's
 * declarations.
 */
export async function generate(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-reference-'))
  try {
    const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const project = path.join(root, 'packages', 'agent', 'tsconfig.build.json')
    const flags = ['--emitDeclarationOnly', '--noCheck', '--outDir', folder]
    // Other packages are read from source, so no build is needed.
    const sources = ['--rootDir', path.join(root, 'packages'), '--customConditions', 'troupe-source']
    execFileSync(process.execPath, [tsc, '-p', project, ...flags, ...sources], { stdio: 'pipe' })
    return write(path.join(folder, 'agent', 'src'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function write(folder: string): string {
  const index = readFileSync(path.join(root, 'packages/agent/src/index.ts'), 'utf8')
  const declared = new Map<string, Map<string, Declaration>>()
  const entries = [...index.matchAll(/^export (?:type )?\{ ([^}]+) \} from '(\.[^']+)'/gm)].flatMap(
    ([, names = '', from = '']) => {
      const source = path.join(folder, from.replace(/\.ts$/, '.d.ts'))
      const known = declared.get(source) ?? declarations(readFileSync(source, 'utf8'))
      declared.set(source, known)
      return names.split(', ').map((name) => {
        const declaration = known.get(name)
        if (declaration === undefined) throw new Error(`index.ts exports ${name}, and ${from} does not declare it`)
        return { name, ...declaration }
      })
    },
  )
  const sections = entries.map(({ name, about, text }) =>
    [`## ${name}`, ...(about === '' ? [] : [about]), `\`\`\`ts\n${text}\n\`\`\``].join('\n\n'),
  )
  return `<!-- Made by scripts/generators/library.ts from packages/agent/src/index.ts: run "npm run generate". -->

# Library

Everything that \`@troupe/agent\` exports. The [guide](../guides/library.md) shows how to use it.

${entries.map(({ name }, index) => `[${name}](#${anchor(entries.slice(0, index), name)})`).join(' · ')}

${sections.join('\n\n')}
`
}

/** Headings that differ only in case are numbered. */
function anchor(before: readonly { name: string }[], name: string): string {
  const same = before.filter((entry) => entry.name.toLowerCase() === name.toLowerCase()).length
  return same === 0 ? name.toLowerCase() : `${name.toLowerCase()}-${same}`
}

interface Declaration {
  about: string
  text: string
}

const comment = String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\n`
const exported = String.raw`export (?:declare )?(?:interface|class|function|const|type) (\w+)`
const next = String.raw`\n(?:${comment})?(?:export|import|declare|type|interface) |\s*$(?![\s\S])`
const statement = new RegExp(`^(?:${comment})?(${exported}[\\s\\S]*?)(?=${next})`, 'gm')

/** Returns the exported statements of a declaration file. The compiler starts each in the first column. */
function declarations(source: string): Map<string, Declaration> {
  const found = new Map<string, Declaration>()
  const statements = source.matchAll(statement)
  for (const [, about = '', declaration = '', name = ''] of statements) {
    const known = found.get(name)
    const text = plain(declaration)
    found.set(name, known === undefined ? { about: prose(about), text } : { ...known, text: `${known.text}\n${text}` })
  }
  return found
}

function plain(declaration: string): string {
  return declaration
    .trimEnd()
    .split('\n')
    .filter((line) => line.trim() !== '#private;')
    .map((line) => line.replace(/^( {4})+/, (indent) => ' '.repeat(indent.length / 2)).replace(/;$/, ''))
    .join('\n')
    .replace(/^export (declare )?/, '')
}

function prose(about: string): string {
  return about
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()
}
