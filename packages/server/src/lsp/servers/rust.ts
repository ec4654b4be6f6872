import { findCommand, type LanguageServerDefinition } from '../server-definition.ts'

export default {
  title: 'Rust',
  languages: { '.rs': 'rust' },
  rootMarkers: ['Cargo.toml', 'rust-project.json'],
  find: (place) => {
    const { HOME: home = '/', CARGO_HOME: cargo = `${home}/.cargo` } = place.env
    const env = { ...place.env, PATH: `${place.env['PATH'] ?? ''}:${cargo}/bin` }
    return findCommand({ ...place, env }, 'rust-analyzer')
  },
  // The check on save runs cargo, which takes longer than a tool result may wait and locks its build folder.
  initializationOptions: { checkOnSave: false },
} satisfies LanguageServerDefinition
