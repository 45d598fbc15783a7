/** Why the import failed; the message is a sentence for the operator. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused'
  readonly because: ImportReason
  constructor(sentence: string, because: ImportReason = 'content') {
    super(sentence)
    this.because = because
  }
}

export const importReasons = ['content', 'exists', 'locked', 'folder'] as const
type ImportReason = (typeof importReasons)[number]
