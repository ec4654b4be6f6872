import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isProgram } from '@troupe/core'
import { findCommand, foldersUp, type LanguageServerDefinition, type ServerPlace } from '../server-definition.ts'

const script = ['.ts', '.mts', '.cts'].map((extension) => [extension, 'typescript'])
const plain = ['.js', '.mjs', '.cjs'].map((extension) => [extension, 'javascript'])

export default {
  title: 'TypeScript',
  languages: {
    ...(Object.fromEntries([...script, ...plain]) as Record<string, string>),
    '.tsx': 'typescriptreact',
    '.jsx': 'javascriptreact',
  },
  rootMarkers: ['tsconfig.json', 'jsconfig.json', 'package.json'],
  find: (place) =>
    nativeServer(place) ??
    findCommand(place, 'tsgo', { args: ['--lsp', '--stdio'] }) ??
    findCommand(place, 'vtsls', { args: ['--stdio'] }) ??
    findCommand(place, 'typescript-language-server', { args: ['--stdio'] }),
} satisfies LanguageServerDefinition

/** Since version 7 the compiler is a native program and a language server itself. */
function nativeServer({ root, workspace }: ServerPlace) {
  const platform = `typescript-${process.platform}-${process.arch}`
  for (const folder of foldersUp(root, workspace)) {
    const command = path.join(folder, 'node_modules/@typescript', platform, 'lib/tsc')
    if (isProgram(command) && majorVersion(path.join(folder, 'node_modules/typescript/package.json')) >= 7)
      return { command, args: ['--lsp', '--stdio'] }
  }
  return undefined
}

function majorVersion(file: string): number {
  try {
    return Number.parseInt((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version, 10)
  } catch {
    return 0
  }
}
