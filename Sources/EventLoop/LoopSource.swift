import Glibc

/// Something with a file descriptor that lives on a loop.
public protocol LoopSource: AnyObject, Sendable {
  /// Takes its turn on the loop's thread: reads, writes and handles a bounded amount. It has one when its descriptor is ready,
  /// when it has more to do, and whenever jobs have been run: these may have given it something to write.
  /// - Parameter isReady: whether the descriptor has something to read, or room.
  /// - Returns: what to wait for; nil when it has ended.
  func takeTurn(isReady: Bool) -> LoopInterest?
}

/// What a source waits for until its next turn.
public struct LoopInterest: Sendable {
  /// The descriptor.
  public var descriptor: Int32
  /// Whether something waits to be written.
  public var wantsToWrite: Bool
  /// Whether there is more to be handled, without reading.
  public var hasMore: Bool

  /// What a source waits for.
  public init(descriptor: Int32, wantsToWrite: Bool, hasMore: Bool) {
    self.descriptor = descriptor
    self.wantsToWrite = wantsToWrite
    self.hasMore = hasMore
  }
}

/// The sources of a loop, which it does not keep alive.
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

  /// Has each source take its turn.
  /// - Returns: whether one has more to do.
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

  /// What poll(2) is to be asked: a descriptor for each source, in order.
  func appendDescriptors(to descriptors: inout [pollfd]) {
    for entry in entries {
      guard let interest = entry.interest else { continue }
      let events = interest.wantsToWrite ? POLLIN | POLLOUT : POLLIN
      descriptors.append(pollfd(fd: interest.descriptor, events: Int16(events), revents: 0))
    }
  }

  /// What poll(2) answered, in the same order.
  mutating func note(_ descriptors: ArraySlice<pollfd>) {
    for (index, descriptor) in descriptors.enumerated() where descriptor.revents != 0 {
      entries[index].isReady = true
    }
  }
}
