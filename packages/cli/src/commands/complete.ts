import { defineCommand, UsageError } from '../shared/command.ts'
import { connect } from '../shared/connect.ts'

/**
 * Bash completion for the text before the cursor, from the last space or quote. Bash splits words at colons and the
 * like and replaces only the last piece, so the rest of the word is removed from the answers.
 */
const bash = `_troupe() {
  local word="\${COMP_LINE:0:COMP_POINT}"
  word="\${word##*[[:space:]\\"\\']}"
  [[ $word == [/@]* ]] || return 0
  local before="" breaks="\${COMP_WORDBREAKS//[[:space:]\\"\\']/}" i item
  for ((i = \${#word} - 1; i >= 0; i--)); do
    [[ $breaks == *"\${word:i:1}"* ]] && { before="\${word:0:i+1}"; break; }
  done
  while IFS= read -r item; do COMPREPLY+=("\${item#"$before"}"); done < <(troupe complete -- "$word" 2>/dev/null)
}
complete -o default -o nospace -F _troupe troupe
`

/** `troupe complete <word>`: completes a word that starts with / or @. `--bash` prints the bash completion script. */
export const command = defineCommand({
  options: {
    bash: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    workspace: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    const [word, ...more] = positionals
    if (values.bash === true && word === undefined) {
      context.stdout.write(bash)
      return 0
    }
    if (word === undefined || more.length > 0) throw new UsageError('expected: troupe complete <word>, or --bash')
    const connection = await connect(context, {
      workspace: values.workspace,
    })
    try {
      const { items } = await connection.call('GET /ai/complete', { query: { text: word } })
      if (values.json === true) context.stdout.write(`${JSON.stringify(items)}\n`)
      else for (const { insert } of items) context.stdout.write(`${insert.trimEnd()}\n`)
      return 0
    } finally {
      await connection.close()
    }
  },
})
