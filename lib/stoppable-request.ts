import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The class of requests with which Node's parser stops at the first request after the end of its connection was
 * decided. Otherwise it would make requests of everything that it has read, thousands in 64 KiB, while all other
 * clients wait. For the parser such a request asks for an upgrade, which ends the HTTP part of a connection:
 * `shouldUpgradeCallback` must agree to it, and the listener for `upgrade` must ignore it.
 */
export const stoppableRequest = (isEnding: (socket: Socket) => boolean) =>
  class extends IncomingMessage {
    isUpgrade: unknown

    get upgrade(): unknown {
      return this.isUpgrade
    }

    /** Called by Node: in its constructor, then by the parser, and with the answer of `shouldUpgradeCallback`. */
    set upgrade(value: unknown) {
      this.isUpgrade = value || isEnding(this.socket)
    }
  }
