import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..', '..')

/** Downloads `name@version` into `.cache/<use>` and returns its unpacked folder. For generators: nothing depends on it. */
export function fetchPackage(source: string, use: string): string {
  const cache = path.join(root, '.cache', use, source.replaceAll(/[^\w.-]/g, '_'))
  const unpacked = path.join(cache, 'package')
  if (existsSync(unpacked)) return unpacked
  mkdirSync(cache, { recursive: true })
  execFileSync('npm', ['pack', '--silent', source], { cwd: cache, stdio: 'pipe' })
  const archive = readdirSync(cache).find((name) => name.endsWith('.tgz')) as string
  execFileSync('tar', ['-xzf', archive], { cwd: cache })
  return unpacked
}
