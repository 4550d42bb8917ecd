import Bluetooth
import DBus
import Logging
import Waiting

/// The pairing of this client that is in progress, for the answers of its agent.
struct PairingInProgress {
  let device: ObjectPath
  let method: Pairing.Method
  /// Whether the agent has given the passkey.
  var hasGivenPasskey = false
  /// The question about the device that the agent has refused.
  var refused: MemberName?

  init(_ device: ObjectPath, _ method: Pairing.Method) {
    (self.device, self.method) = (device, method)
  }

  /// The IO capability with which bluetoothd asks what the method can answer, and nothing else.
  var capability: String {
    switch method {
    case .justWorks: "NoInputNoOutput"
    case .passkey: "KeyboardOnly"
    }
  }

  /// bluetoothd reports all refusals alike; the questions show more.
  func explained(_ error: CentralError) -> CentralError {
    guard error.code == .pairing(.refused) else { return error }
    if let refused {
      return CentralError(
        .pairing(.unsuitable), stackText: "\(error.stackText ?? ""); bluetoothd asked \(refused.text)")
    }
    return hasGivenPasskey ? CentralError(.pairing(.passkeyRefused), stackText: error.stackText) : error
  }
}

/// Pairing by an agent of this client, which exists only meanwhile. It does not ask to be the default one: another program's
/// stays that. (Without another, bluetoothd makes it that.)
///
/// `Pair` is called without a link, because only then do all versions of bluetoothd ask the agent of the caller, with its
/// capability. bluetoothd knows one agent of a client and asks it one question at a time, so pairings of this client follow
/// each other (docs/internals/bluez.md, traps 69 to 74).
extension BlueZCentral {
  private static let agent: ObjectPath = "/org/roboprov/agent"
  /// How long `Pair` may take from the link on: 30 s for a message that is not answered (Bluetooth Core, Vol 3 Part H 3.4),
  /// then the services. Up to 5.86 it is not answered if their discovery fails.
  private static let pairingLimit = Duration.seconds(45)
  private static let refusal = Result<[DBusValue], DBusError>.failure(
    .remote("org.bluez.Error.Rejected", "roboprov pairs with another device, or in another way"))

  /// Whether BlueZ has a bond with a device.
  func hasBond(_ device: ObjectPath) -> Bool {
    CleanSlates.bond.contains { tree.device(device)?.flag($0) == true }
  }

  /// Runs `connect`, which pairs with a device, while this client has an agent for it.
  func withAgent(
    for device: ObjectPath, _ method: Pairing.Method,
    _ connect: @Sendable () async throws(CentralError) -> any Peripheral
  ) async throws(CentralError) -> any Peripheral {
    while pairing != nil {
      guard !Task.isCancelled else { throw CentralError(.cancelled) }
      await change(of: Self.agent)
    }
    pairing = PairingInProgress(device, method)
    defer {
      pairing = nil
      wake(Self.agent)
    }
    let result: Result<any Peripheral, CentralError>
    do throws(CentralError) {
      try await registerAgent()
      result = .success(try await connect())
    } catch {
      result = .failure(pairing?.explained(error) ?? error)
    }
    await shielded { await self.retireAgent() }
    let link = try result.get()
    if case .passkey = method, pairing?.hasGivenPasskey == false {
      await link.disconnect()
      throw CentralError(.pairing(.passkeyUnused), stackText: "bluetoothd did not ask for the passkey")
    }
    return link
  }

  private func registerAgent() async throws(CentralError) {
    await connection.export(Self.agent) { [weak self] in await self?.answer($0) ?? Self.refusal }
    let registration: [DBusValue] = [.objectPath(Self.agent), .string(pairing?.capability ?? "")]
    do throws(CentralError) {
      try await callManager(Name.Member.registerAgent, registration, connection.timeout)
    } catch  where error.code == .pairing(.bondExists) {
      // `AlreadyExists` is about the agent here: bluetoothd did not end the one before in time.
      try? await callManager(Name.Member.unregisterAgent, [.objectPath(Self.agent)])
      do throws(CentralError) {
        try await callManager(Name.Member.registerAgent, registration, connection.timeout)
      } catch {
        throw error.code == .pairing(.bondExists) ? CentralError(.busy, stackText: error.stackText) : error
      }
    }
  }

  private func retireAgent() async {
    try? await callManager(Name.Member.unregisterAgent, [.objectPath(Self.agent)])
    await connection.unexport(Self.agent)
  }

  private func callManager(
    _ member: MemberName, _ body: [DBusValue], _ timeout: Duration = BlueZCentral.teardownLimit
  ) async throws(CentralError) {
    _ = try await call(
      Name.manager, Name.Interface.agentManager, member, body, during: .pair, timeout: timeout)
  }

  /// Answers bluetoothd, and nobody else, about the device that is being paired; refuses everything else at once.
  private func answer(_ call: MethodCall) -> Result<[DBusValue], DBusError> {
    let daemon = connection.assumeIsolated { $0.owner(of: Name.service) }
    guard let pairing, let daemon, call.sender == daemon else { return Self.refusal }
    let isOurs = call.body.first?.asObjectPath == pairing.device
    switch (call.member, pairing.method) {
    case ("Release", _), ("Cancel", _):
      return .success([])
    case ("RequestPasskey", .passkey(let passkey)) where isOurs:
      self.pairing?.hasGivenPasskey = true
      return .success([.uint32(passkey.number)])
    case ("RequestAuthorization", .justWorks) where isOurs:
      return .success([])
    default:
      if isOurs { self.pairing?.refused = call.member }
      log.debug("\(Self.agent.text): refused \(call.member.text)")
      return Self.refusal
    }
  }

  /// Calls `Pair` and waits until it completes or can no longer complete. The agent answers meanwhile.
  func callPair(_ path: ObjectPath, _ adapter: ObjectPath) async throws(CentralError) {
    // On a bonded device it would never be answered (trap 72).
    guard !hasBond(path) else { throw CentralError(.pairing(.bondExists)) }
    // What the agent did in an earlier call says nothing about this one.
    pairing?.hasGivenPasskey = false
    pairing?.refused = nil
    let (began, connection) = (clock.now, connection)
    try await race {
      () async throws(CentralError) in
      _ = try await self.call(
        path, Name.Interface.device, Name.Member.pair, during: .pair, timeout: nil)
    } against: {
      await withTaskGroup(of: CentralError?.self, returning: CentralError?.self) { group in
        group.addTask {
          await connection.serve()
          return nil
        }
        group.addTask { await self.reasonConnectCannotComplete(path, adapter, began: began) }
        group.addTask { await self.pairingIsOverdue(path) }
        defer { group.cancelAll() }
        while let reason = await group.next() {
          if let reason { return reason }
        }
        return nil
      }
    }
  }

  private func pairingIsOverdue(_ path: ObjectPath) async -> CentralError? {
    while attempts[path]?.isLinked == false {
      guard !Task.isCancelled else { return nil }
      await change(of: path)
    }
    guard (try? await clock.sleep(for: Self.pairingLimit)) != nil else { return nil }
    return CentralError(.pairing(.lost), stackText: "Pair was not answered within \(Self.pairingLimit)")
  }
}
