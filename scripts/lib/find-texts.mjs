import { parseSync } from 'vite'

/** Attributes that users read or hear. */
const spoken = new Set(['label', 'title', 'aria-label', 'aria-description', 'placeholder', 'alt', 'confirm', 'about'])
/** Elements whose content is the same in every language: names of keys, commands, files. */
const literal = new Set(['code', 'kbd', 'pre', 'samp'])
/** Attributes read only by the browser. */
const silent = /^(className|class|style|d|viewBox|transform|rel|accept|sandbox|allow|autoComplete|data-.*)$/
const letters = /\p{L}{2}/u
const words = /\p{L}{2,}[,;:]? \p{L}{2,}/u
/** Key names are as printed on the keyboard. */
const keys = /^((Esc|Escape|Enter|Tab|Home|End|Delete|Ctrl|Alt|Shift|Mod|Arrow\w+|[A-Z0-9])[ +]?)+$/
/** Examples in fields, names, and strings only tools read. */
const known = new Set([
  'Troupe',
  'Error',
  'Unreachable',
  'text',
  'noopener noreferrer nofollow',
  'acme',
  'reviewer',
  'files',
  'large-1, small-1',
  'npx -y @modelcontextprotocol/server-filesystem /data',
  '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "…"] } } }',
  'Bash(npm run *)',
  'WebFetch(domain:example.com)',
])

/**
 * Finds texts in a page source that do not come from its language files: words between tags, in attributes that are
 * read out, and sentences anywhere else. `// not shown` on the line before, or at its end, marks a text that no user
 * sees. `// in one language` at the head of a file marks a user's own file, for which one language is enough.
 */
export function findTexts(file, source) {
  if (/^\/\/ in one language$/m.test(source.split('\n', 3).join('\n'))) return []
  const { program, errors } = parseSync(file, source, { lang: file.endsWith('x') ? 'tsx' : 'ts' })
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const lines = source.split('\n')
  const found = []
  visit(program, { place: 'code' })
  return found

  function report(node, text) {
    const said = text.replaceAll(/\s+/g, ' ').trim()
    if (
      !letters.test(said) ||
      known.has(said) ||
      keys.test(said) ||
      said.startsWith('<') ||
      /^\.[a-z-]+(?: [a-z.-]+)*$/.test(said) ||
      said === 'Arrow' ||
      /^(https?:|\/|#|--?[a-z])\S*$/.test(said)
    )
      return
    const line = source.slice(0, node.start).split('\n').length
    if ([lines[line - 1], lines[line - 2]].some((one) => one?.includes('not shown'))) return
    found.push({ line, text: said })
  }

  /** `shown`: users read the string; `code`: only sentences count; `silent`: none count. */
  function visit(node, at) {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, at))
    if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ImportExpression':
      case 'TSTypeAliasDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAnnotation':
      case 'TSTypeParameterInstantiation':
        return
      case 'JSXText':
        return at.place === 'literal' ? undefined : report(node, node.value)
      case 'JSXElement': {
        const { name } = node.openingElement.name
        visit(node.openingElement.attributes, { place: 'code' })
        return visit(node.children, { place: literal.has(name) ? 'literal' : 'shown' })
      }
      case 'JSXFragment':
        return visit(node.children, { place: 'shown' })
      case 'JSXAttribute': {
        const name = node.name.type === 'JSXNamespacedName' ? '' : node.name.name
        return visit(node.value, { place: silent.test(name) ? 'silent' : spoken.has(name) ? 'shown' : 'code' })
      }
      case 'JSXExpressionContainer':
        return visit(node.expression, at)
      case 'ConditionalExpression':
        visit(node.test, { place: 'code' })
        visit(node.consequent, at)
        return visit(node.alternate, at)
      case 'LogicalExpression':
        visit(node.left, { place: 'code' })
        return visit(node.right, at)
      case 'BinaryExpression':
        if (node.operator !== '+') return
        visit(node.left, at)
        return visit(node.right, at)
      case 'Literal':
        return string(node, node.value, at)
      case 'TemplateLiteral':
        for (const quasi of node.quasis) string(quasi, quasi.value.cooked ?? '', at)
        return visit(node.expressions, { place: at.place === 'silent' ? 'silent' : 'code' })
      case 'NewExpression':
        // Such errors are our own bugs, or explain the code next to them.
        if (/^(Type|Range)?Error$/.test(node.callee.name ?? '')) return
        break
      case 'CallExpression':
        if (/^(querySelector|querySelectorAll|closest|matches|matchMedia)$/.test(node.callee.property?.name ?? ''))
          return
        break
      case 'TaggedTemplateExpression':
        return
    }
    const inside = { place: at.place === 'silent' ? 'silent' : 'code' }
    for (const key in node) if (key !== 'type') visit(node[key], inside)
  }

  function string(node, value, { place }) {
    if (typeof value !== 'string' || place === 'silent' || place === 'literal') return
    if (place === 'shown' || words.test(value) || /^\p{Lu}\p{Ll}+$/u.test(value)) report(node, value)
  }
}
