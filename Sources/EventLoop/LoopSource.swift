import Glibc

/// A source of events with a file descriptor, served by a loop.
package protocol LoopSource: AnyObject, Sendable {
  /// Reads, writes and handles a bounded amount, on the loop's thread. The loop calls it when the descriptor
  /// is ready, when the source has more to do, and after jobs have run, because these may have added
  /// something to write.
  /// - Parameter isReady: Whether the descriptor is readable or writable.
  /// - Returns: What to wait for; nil if the source has ended.
  func takeTurn(isReady: Bool) -> LoopInterest?
}

/// What a source waits for before its next call.
package struct LoopInterest: Sendable {
  package var descriptor: Int32
  /// Whether data waits to be written.
  package var wantsToWrite: Bool
  /// Whether there is more to handle without reading.
  package var hasMore: Bool

  package init(descriptor: Int32, wantsToWrite: Bool, hasMore: Bool) {
    self.descriptor = descriptor
    self.wantsToWrite = wantsToWrite
    self.hasMore = hasMore
  }
}

/// The sources of a loop. References are weak.
struct LoopSources {
  private struct Entry {
    weak var source: (any LoopSource)?
    var interest: LoopInterest?
    var isReady = false
  }

  private var entries: [Entry] = []

  mutating func add(_ source: any LoopSource) {
    entries.append(Entry(source: source))
  }

  /// Calls `takeTurn` of each source.
  /// - Returns: Whether a source has more to do.
  mutating func takeTurns() -> Bool {
    var hasMore = false
    for index in entries.indices {
      let isReady = entries[index].isReady
      let interest = entries[index].source?.takeTurn(isReady: isReady)
      entries[index].isReady = false
      entries[index].interest = interest
      hasMore = hasMore || interest?.hasMore == true
    }
    entries.removeAll { $0.interest == nil }
    return hasMore
  }

  /// Appends the poll(2) entry of each source, in order.
  func appendDescriptors(to descriptors: inout [pollfd]) {
    for entry in entries {
      guard let interest = entry.interest else { continue }
      let events = interest.wantsToWrite ? POLLIN | POLLOUT : POLLIN
      descriptors.append(pollfd(fd: interest.descriptor, events: Int16(events), revents: 0))
    }
  }

  /// Records the results of poll(2), in the same order.
  mutating func note(_ descriptors: ArraySlice<pollfd>) {
    for (index, descriptor) in descriptors.enumerated() where descriptor.revents != 0 {
      entries[index].isReady = true
    }
  }
}
