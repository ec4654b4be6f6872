import { forEachChild, type Function, type SyntaxNode } from 'unbash'

/** Whether a function starts itself twice in one pipe, or in the background: `:(){ :|:& };:`. */
export function isForkBomb(definition: Function, name: string): boolean {
  let bomb = false
  const callsOf = (node: SyntaxNode): number => {
    let count = node.type === 'Command' && node.name?.value === name ? 1 : 0
    forEachChild(node, (child) => {
      count += callsOf(child)
    })
    if (node.type === 'Pipeline' && count > 1) bomb = true
    if (node.type === 'Statement' && node.background === true && count > 0) bomb = true
    return count
  }
  callsOf(definition.body)
  return bomb
}
