import { execFile, spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

export interface Recognizer {
  /** Installed languages, as Tesseract names them: `eng`, `chi_sim`. */
  languages: readonly string[]
  /** Text in a picture. Empty if there is none, or if it takes too long. */
  recognize(picture: Uint8Array, signal?: AbortSignal): Promise<string>
}

const pageMs = 30_000
/** One dense page has about 10,000 characters. */
const mostCharacters = 20_000

/** Text recognition by the installed `tesseract`. Undefined without it, or if it has no language. */
export async function findRecognizer(env: NodeJS.ProcessEnv = process.env): Promise<Recognizer | undefined> {
  const file = programOnPath('tesseract', env)
  if (file === undefined) return undefined
  const childEnv = environment(env)
  const { stdout } = await promisify(execFile)(file, ['--list-langs'], { env: childEnv, timeout: 10_000 }).catch(
    () => ({
      stdout: '',
    }),
  )
  const languages = stdout
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
  const known = languages.filter(
    (language) => /^[\w/]{2,30}$/.test(language) && language !== 'osd' && language !== 'equ',
  )
  if (known.length === 0) return undefined
  // Every language adds time and, among many, errors.
  const used = [...known.filter((language) => language === 'eng'), ...known.filter((language) => language !== 'eng')]
  const chosen = used.slice(0, 4)
  return { languages: chosen, recognize: (picture, signal) => run(file, chosen, picture, childEnv, signal) }
}

function run(
  file: string,
  languages: readonly string[],
  picture: Uint8Array,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(file, ['stdin', 'stdout', '-l', languages.join('+')], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: pageMs,
      killSignal: 'SIGKILL',
      signal,
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < mostCharacters) text += chunk
    })
    child.once('error', () => resolve(''))
    child.once('close', (code) =>
      resolve(
        code === 0
          ? text
              .slice(0, mostCharacters)
              .replace(/\n{3,}/g, '\n\n')
              .trim()
          : '',
      ),
    )
    // The program may end before it has read everything.
    child.stdin.on('error', () => undefined)
    child.stdin.end(picture)
  })
}

/** With several threads, Tesseract is many times slower on a busy machine. */
function environment({ PATH, TESSDATA_PREFIX }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    PATH,
    LANG: 'C.UTF-8',
    OMP_THREAD_LIMIT: '1',
    ...(TESSDATA_PREFIX !== undefined && { TESSDATA_PREFIX }),
  }
}

function programOnPath(name: string, { PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  for (const folder of PATH.split(path.delimiter)) {
    const file = path.join(folder, process.platform === 'win32' ? `${name}.exe` : name)
    try {
      if (!path.isAbsolute(folder)) continue
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}
