package import Bluetooth
package import Model
import Synchronization
import Waiting

/// The adapters of several hosts as one `Central`. Each adapter is used through the central of its host, so what one
/// host does cannot concern the adapters of another.
///
/// `follow` must run as long as the group is used: it learns which adapters the hosts have, and a central that
/// reconnects does so on its behalf.
package final class CentralGroup: ForwardingCentral {
  private typealias Changes = AsyncStream<[Adapter]>.Continuation

  private struct State {
    /// The last report of each host; nil before its first one.
    var known: [HostAdapters?]
    var readers: [(id: Int, changes: Changes)] = []
    var lastReader = 0

    /// The hosts that have reported, with each radio once.
    var hosts: [HostAdapters] { known.compactMap(\.self).withoutDuplicates }
    /// The adapters of all hosts, ordered by identity.
    var adapters: [Adapter] {
      hosts.flatMap { (try? $0.result.get()) ?? [] }.sorted { $0.id < $1.id }
    }
  }

  package struct Member: Sendable {
    let host: HostName?
    let central: any Central
    let wanted: [AdapterReference]

    /// - Parameters:
    ///   - host: The host of its adapters; nil for this computer.
    ///   - wanted: The adapters to use; all when empty.
    package init(_ host: HostName?, _ central: any Central, wanted: [AdapterReference] = []) {
      (self.host, self.central, self.wanted) = (host, central, wanted)
    }
  }

  private let members: [Member]
  private let state: Mutex<State>
  private let allKnown = OneShot<Void>()

  /// - Parameter members: one for each host.
  package init(_ members: [Member]) {
    precondition(Set(members.map(\.host)).count == members.count, "a host has one central")
    self.members = members
    state = Mutex(State(known: members.map { _ in nil }))
  }

  // MARK: The hosts

  /// Follows the adapters of all hosts until it is cancelled. A host that does not respond delays no other.
  package func follow() async {
    await withDiscardingTaskGroup { group in
      for index in members.indices { group.addTask { await self.follow(index) } }
    }
    let readers = state.withLock { state in
      defer { state.readers = [] }
      return state.readers
    }
    for reader in readers { reader.changes.finish() }
  }

  private func follow(_ index: Int) async {
    let member = members[index]
    let host = member.host
    for await adapters in await member.central.adapterChanges() {
      guard adapters.isEmpty else {
        note(.success(adapters), index, stack: await member.central.stackIdentity(on: host))
        continue
      }
      // What it had is lost at once; the reason may take as long as an attempt to connect.
      if isKnown(index) { note(.success([]), index) }
      do throws(CentralError) {
        let adapters = try await member.central.adapters()
        note(.success(adapters), index, stack: await member.central.stackIdentity(on: host))
      } catch {
        guard error.code != .cancelled else { continue }
        note(.failure(CentralError(error.code, stackText: error.stackText, on: host)), index)
      }
    }
  }

  private func isKnown(_ index: Int) -> Bool { state.withLock { $0.known[index] != nil } }

  private func note(_ result: Result<[Adapter], CentralError>, _ index: Int, stack: String? = nil) {
    let member = members[index]
    // An adapter of any other host is none of this one's.
    let own = result.map { $0.filter { $0.id.host == member.host && member.wanted.want($0) } }
    let (all, readers, isComplete) = state.withLock { state in
      let stack = stack ?? state.known[index]?.stack
      state.known[index] = HostAdapters(on: member.host, own, stack: stack)
      return (state.adapters, state.readers.map(\.changes), state.known.allSatisfy { $0 != nil })
    }
    for changes in readers { changes.yield(all) }
    if isComplete { allKnown.fulfill() }
  }

  /// Waits until each host has reported its adapters, or why it has none, but not longer than `limit`. A run that begins
  /// earlier would search its devices without some adapters.
  package func settle(within limit: Duration, on clock: any TimeSource) async {
    _ = await race(limit, on: clock) { await self.allKnown.value() }
  }

  package func hosts() async -> [HostAdapters] { state.withLock(\.hosts) }

  /// - Throws: The failure of the first host only if every host has failed.
  package func adapters() async throws(CentralError) -> [Adapter] {
    let (adapters, known) = state.withLock { ($0.adapters, $0.hosts) }
    // This computer need not have Bluetooth if others do.
    let failures = known.compactMap(\.failure)
    if failures.count == known.count,
      let first = failures.first(where: { $0.host != nil }) ?? failures.first
    {
      throw first
    }
    return adapters
  }

  package func adapterChanges() async -> AsyncStream<[Adapter]> {
    let (stream, changes) = AsyncStream<[Adapter]>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.lastReader += 1
      state.readers.append((state.lastReader, changes))
      // Under the lock, so that this list cannot arrive after a later change.
      changes.yield(state.adapters)
      return state.lastReader
    }
    changes.onTermination = { [weak self] _ in
      self?.state.withLock { $0.readers.removeAll { $0.id == id } }
    }
    return stream
  }

  package func responsible(for host: HostName?) async throws(CentralError) -> any Central {
    guard let found = members.first(where: { $0.host == host }) else {
      throw CentralError(.adapterUnavailable(.absent), on: host)
    }
    return found.central
  }
}
