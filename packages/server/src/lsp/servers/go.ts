import { findProgram } from '@troupe/core'
import { findCommand, type LanguageServerDefinition } from '../server-definition.ts'

export default {
  title: 'Go',
  languages: { '.go': 'go' },
  rootMarkers: ['go.work', 'go.mod'],
  find: (place) => {
    const { HOME: home = '/', GOPATH: goPath = `${home}/go` } = place.env
    // It asks `go` about packages, and without it reports no problems at all.
    if (findProgram('go', place.env) === undefined) return undefined
    return findCommand({ ...place, env: { ...place.env, PATH: `${place.env['PATH'] ?? ''}:${goPath}/bin` } }, 'gopls')
  },
} satisfies LanguageServerDefinition
