import Glibc

/// A program that is connected to the bus.
package struct BusProgram: Hashable, Sendable, Comparable {
  package var id: UInt32
  /// The kernel's name of the process (`/proc/PID/comm`, at most 15 bytes).
  package var name: String

  /// The kernel's name of a process; nil if the process does not exist.
  static func nameOfProcess(_ id: UInt32) -> String? {
    let descriptor = open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  package static func < (a: Self, b: Self) -> Bool { (a.name, a.id) < (b.name, b.id) }
}

extension Connection {
  private static let shortTimeout = Duration.seconds(2)

  /// The other programs that have subscribed to a service's signals, sorted. The service itself is excluded.
  ///
  /// Nil if the bus does not report match rules: Debian's system bus reports them only to root
  /// (`Debug.Stats`). Also nil if the bus uses other process ids: on another host or in another PID
  /// namespace.
  /// - Parameter path: The object of which the programs want signals. A rule without a sender counts too if it names the
  ///   object, or a path above or below it.
  package func programs(scanning service: BusName, about path: ObjectPath) async -> [BusProgram]? {
    guard await processID(of: uniqueName) == UInt32(getpid()), let rules = await matchRules() else {
      return nil
    }
    let owner = await answer("GetNameOwner", [.string(service.text)])?.first?.asString
    var found: Set<BusProgram> = []
    for (client, texts) in rules {
      guard client != owner, let name = BusName(client),
        texts.contains(where: { Self.asks($0, for: service, owner, about: path) }),
        let id = await processID(of: name), id != UInt32(getpid()), let program = BusProgram.nameOfProcess(id)
      else { continue }
      found.insert(BusProgram(id: id, name: program))
    }
    return found.sorted()
  }

  /// Whether a match rule selects signals of a service about an object.
  static func asks(_ rule: String, for service: BusName, _ owner: String?, about path: ObjectPath) -> Bool {
    // No name contains a comma or an apostrophe.
    let fields = rule.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
    func value(_ key: String) -> String? {
      fields.first { $0.first.map(String.init) == key }?.last?.filter { $0 != "'" }
    }
    let sender = value("sender")
    if let sender, sender != service.text, sender != owner { return false }
    guard let named = (value("path") ?? value("path_namespace")).flatMap({ ObjectPath($0) }) else {
      return sender != nil
    }
    return (named.isAtOrBelow(path) || path.isAtOrBelow(named)) && (sender != nil || named != "/")
  }

  /// The match rules of every client, by unique name; nil if the bus does not report them.
  private func matchRules() async -> [(String, [String])]? {
    let call = MethodCall(
      destination: MethodCall.bus, path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus.Debug.Stats", member: "GetAllMatchRules")
    let answer = try? await self.call(call, timeout: Self.shortTimeout)
    return answer?.first?.asEntries?.compactMap { entry in
      entry.key.asString.flatMap { name in entry.value.asStrings.map { (name, $0) } }
    }
  }

  /// The id of the bus, which no other one has; nil if it gives none.
  package func busID() async -> String? { await answer("GetId", [])?.first?.asString }

  private func processID(of name: BusName) async -> UInt32? {
    await answer("GetConnectionUnixProcessID", [.string(name.text)])?.first?.asUInt32
  }

  private func answer(_ member: MemberName, _ body: [DBusValue]) async -> [DBusValue]? {
    try? await call(.toBus(member, body), timeout: Self.shortTimeout)
  }
}
