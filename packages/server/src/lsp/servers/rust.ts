import { readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { isProgram } from '@troupe/core'
import { findCommand, type LanguageServerDefinition, type LaunchCommand } from '../server-definition.ts'

export default {
  title: 'Rust',
  languages: { '.rs': 'rust' },
  rootMarkers: ['Cargo.toml', 'rust-project.json'],
  find: (place) => {
    const {
      HOME: home = '/',
      CARGO_HOME: cargo = `${home}/.cargo`,
      RUSTUP_HOME: rustup = `${home}/.rustup`,
    } = place.env
    const env = { ...place.env, PATH: `${place.env['PATH'] ?? ''}:${cargo}/bin` }
    const found = findCommand({ ...place, env }, 'rust-analyzer')
    return found !== undefined && isProxy(found.command) ? installed(rustup) : found
  },
  // The check on save runs cargo, which takes longer than a tool result may wait and locks its build folder.
  initializationOptions: { checkOnSave: false },
} satisfies LanguageServerDefinition

/** rustup puts a link to itself on the PATH for every program, also for those that it did not install. */
function isProxy(command: string): boolean {
  try {
    return path.basename(realpathSync(command)) === 'rustup'
  } catch {
    return false
  }
}

/** The program of a toolchain, a stable one first. */
function installed(rustup: string): LaunchCommand | undefined {
  const folder = path.join(rustup, 'toolchains')
  const rank = (name: string): number => (name.startsWith('stable') ? 0 : 1)
  try {
    const command = readdirSync(folder)
      .toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
      .map((name) => path.join(folder, name, 'bin', 'rust-analyzer'))
      .find(isProgram)
    return command === undefined ? undefined : { command, args: [] }
  } catch {
    return undefined
  }
}
