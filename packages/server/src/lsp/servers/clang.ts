import { findCommand, type LanguageServerDefinition } from '../server-definition.ts'

const c = Object.fromEntries(['.c', '.h'].map((extension) => [extension, 'c']))
const cpp = Object.fromEntries(['.cc', '.cpp', '.cxx', '.hpp', '.hh', '.hxx'].map((extension) => [extension, 'cpp']))

export default {
  title: 'C and C++',
  languages: { ...c, ...cpp },
  rootMarkers: ['compile_commands.json', 'compile_flags.txt', '.clangd', 'CMakeLists.txt'],
  find: (place) => findCommand(place, 'clangd', { args: ['--background-index=false', '--limit-results=100'] }),
} satisfies LanguageServerDefinition
