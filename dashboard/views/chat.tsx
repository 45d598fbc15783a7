/** The chat of the farm, and an input line. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { AskButton, Trouble, useAsked } from '../parts/asked.tsx'
import { ChatBlock } from '../parts/chat-block.tsx'
import { Icon } from '../parts/icon.tsx'
import { keep, kept } from '../session/browser-storage.ts'
import { allows, type SignedIn } from '../session/session.ts'
import { number, texts } from '../texts/texts.ts'

export function ChatView({ session }: { readonly session: SignedIn }) {
  const { chat } = session.live
  const text = texts.value.chat
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const below = useSignal(0)
  const count = useRef(0)
  const asked = useAsked()
  // Joins, leaves and days come first, so that lines do not move when they come between them.
  const isReady = useSignal(!allows(session, 'read'))
  const blocks = isReady.value ? chat.blocks.value : []

  useEffect(() => {
    chat.isReading.value = true
    chat.seen()
    if (!isReady.value)
      void chat.happenings
        .read()
        // The chat is complete without them.
        .catch(() => undefined)
        .finally(() => {
          isReady.value = true
        })
    const seen = () => chat.seen()
    document.addEventListener('visibilitychange', seen)
    return () => {
      chat.isReading.value = false
      document.removeEventListener('visibilitychange', seen)
    }
  }, [])

  // Where the live lines begin with nothing, the history may have older ones.
  const isEmpty = blocks.length === 0
  const isHere = session.live.status.value !== undefined
  useEffect(() => {
    if (isReady.value && isEmpty && isHere && chat.hasEarlier.value) void asked.run(() => chat.earlier())
  }, [isEmpty, isHere, isReady.value])

  const toEnd = () => {
    const element = scroller.current
    if (element !== null) element.scrollTop = element.scrollHeight
    below.value = 0
  }
  const newest = blocks.at(-1)?.at(-1)?.id ?? 0
  useLayoutEffect(() => {
    const added = newest - count.current
    count.current = newest
    if (isAtEnd.current) toEnd()
    else if (added > 0) below.value += added
  }, [newest])

  const onScroll = () => {
    const element = scroller.current
    if (element === null) return
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 60
    if (isAtEnd.current) below.value = 0
  }

  return (
    <section class="chat-view">
      <h1>{texts.value.views.chat}</h1>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to scroll by keyboard too */}
      <div class="log" ref={scroller} onScroll={onScroll} role="log" aria-label={text.log} tabIndex={0}>
        {!isEmpty && chat.hasEarlier.value && (
          <p class="earlier">
            <AskButton of={asked} onClick={() => void asked.run(() => chat.earlier())}>
              {text.earlier}
            </AskButton>
          </p>
        )}
        <Trouble error={asked.error.value} />
        {isReady.value && isEmpty && isHere && !asked.isBusy.value && <p class="quiet empty">{text.empty}</p>}
        {blocks.map((lines, at) => (
          <ChatBlock
            key={lines[0]?.id}
            lines={lines}
            before={blocks[at - 1]?.at(-1)?.at}
            scroller={scroller}
            isLast={at === blocks.length - 1}
            happenings={chat.happenings.all.value}
          />
        ))}
      </div>
      {below.value > 0 && (
        <button type="button" class="below" onClick={toEnd}>
          {text.jump(number(below.value), below.value)}
        </button>
      )}
      {allows(session, 'chat') ? (
        <Composer session={session} />
      ) : (
        <p class="quiet may-not">{text.mayNotSay}</p>
      )}
    </section>
  )
}

const authorName = 'farmgate.author'
const defaultAuthor = 'Web'
/** Maximum of UTF-16 units, as for the chat. */
const [longestAuthor, longestMessage] = [32, 4000]

function Composer({ session }: { readonly session: SignedIn }) {
  const { chat: text } = texts.value
  const author = useSignal(kept('device', authorName) ?? defaultAuthor)
  const message = useSignal('')
  const asked = useAsked('game')
  const field = useRef<HTMLInputElement>(null)
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = field.current?.form
    const said = message.value.trim()
    if (said === '') return
    const isSaid = await asked.run(() => session.live.chat.say(author.value.trim() || defaultAuthor, said))
    if (isSaid) message.value = ''
    // A user who has moved the focus meanwhile keeps it there.
    if (form?.contains(document.activeElement)) field.current?.focus()
  }
  return (
    <form class="composer" onSubmit={(event) => void send(event)}>
      <Trouble error={asked.error.value} />
      <label class="author">
        <span>{text.author}</span>
        <input
          value={author.value}
          maxLength={longestAuthor}
          autocomplete="nickname"
          onInput={({ currentTarget }) => {
            author.value = currentTarget.value
            keep('device', authorName, currentTarget.value)
          }}
        />
      </label>
      <label class="message">
        <span class="unseen">{text.message}</span>
        <input
          ref={field}
          value={message.value}
          placeholder={text.placeholder}
          maxLength={longestMessage}
          autocomplete="off"
          enterkeyhint="send"
          readOnly={asked.isBusy.value}
          onInput={({ currentTarget }) => {
            message.value = currentTarget.value
          }}
        />
      </label>
      <AskButton of={asked} class="main with-icon">
        <Icon name="send" />
        {asked.isBusy.value ? text.sending : text.send}
      </AskButton>
    </form>
  )
}
