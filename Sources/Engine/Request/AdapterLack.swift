package import Bluetooth
package import Model

/// Why none of the permitted adapters can be used, as the hosts say it now.
struct AdapterLack: Sendable {
  /// The permitted adapters that are there, in order.
  let eligible: [Adapter]
  /// The failure of the host of a permitted adapter, or of all hosts; else `adapterUnavailable` with the state of the first
  /// permitted adapter.
  let failure: CentralError
  /// Whether waiting cannot help, because each host refuses permission.
  let isRefused: Bool
  private let adapter: String?

  init(_ hosts: [HostAdapters], wanted: [AdapterReference]) {
    eligible = hosts.flatMap { (try? $0.result.get()) ?? [] }.filter(wanted.want).sorted(
      by: Adapter.areInOrder)
    let failures = hosts.compactMap(\.failure)
    let named = eligible.isEmpty ? wanted.first { hosts.failure(ofHostOf: $0) != nil } : nil
    let ofAll = failures.count == hosts.count ? failures.last : nil
    failure =
      named.flatMap(hosts.failure(ofHostOf:)) ?? ofAll ?? CentralError(.adapterUnavailable(eligible.problem))
    isRefused = ofAll != nil && failures.allSatisfy { $0.code == .permissionDenied }
    adapter = eligible.first?.name ?? (named ?? wanted.first)?.text
  }

  /// The fact for the record.
  /// - Parameter other: What failed although the adapter is there.
  func awaited(_ other: CentralError? = nil, for limit: Duration) -> AdapterAwaited {
    let problem: CentralError.AdapterProblem? =
      if case .adapterUnavailable(let problem) = (other ?? failure).code { problem } else { nil }
    return AdapterAwaited(problem: problem, adapter: adapter, seconds: limit.inSeconds)
  }
}

extension [HostAdapters] {
  /// Why the host that a reference names cannot be reached, so that nobody knows whether it has the adapter; nil otherwise,
  /// and for this computer.
  package func failure(ofHostOf reference: AdapterReference) -> CentralError? {
    reference.host.flatMap { host in first { $0.host == host }?.failure }
  }
}

extension [Adapter] {
  /// Why none of these adapters can be used, by the first of them.
  fileprivate var problem: CentralError.AdapterProblem {
    switch first?.state {
    case nil, .ready: .absent
    case .poweredOff: .poweredOff
    case .blocked: .blocked
    }
  }
}
