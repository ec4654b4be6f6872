import { findCommand, type LanguageServerDefinition } from '../server-definition.ts'

const folders = ['.venv/bin', 'venv/bin', 'node_modules/.bin']

export default {
  title: 'Python',
  languages: { '.py': 'python', '.pyi': 'python' },
  rootMarkers: ['pyproject.toml', 'pyrightconfig.json', 'setup.py', 'setup.cfg', 'requirements.txt'],
  find: (place) =>
    findCommand(place, 'basedpyright-langserver', { args: ['--stdio'], folders }) ??
    findCommand(place, 'pyright-langserver', { args: ['--stdio'], folders }) ??
    findCommand(place, 'pylsp', { folders }),
  settings: { python: { analysis: { autoSearchPaths: true, diagnosticMode: 'openFilesOnly' } } },
} satisfies LanguageServerDefinition
