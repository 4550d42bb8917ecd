import Bluetooth
import DBus
import EventLoop
import Synchronization
import Testing

@testable import BlueZ

@Suite("Pairing through BlueZ", .timeLimit(.minutes(60)))
struct PairingScenarios {
  static let ofInterest: Set<MemberName> = [
    "Connect", "Disconnect", "RegisterAgent", "Pair", "UnregisterAgent", "CancelPairing", "RemoveDevice",
    "RequestDefaultAgent",
  ]
  static let agent: ObjectPath = "/org/roboprov/agent"
  static let another: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_00_00_02"

  private static func passkey() throws -> Pairing.Method { .passkey(try #require(Passkey("000042"))) }

  /// Runs `body` with one adapter that has received one peripheral, and a daemon that has agents.
  func stage(
    _ properties: Properties = [:], _ body: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    try await Stage.with {
      await $0.addAdapter()
      await $0.addDevice(Sample.named.merging(properties) { $1 })
      for member in ["RegisterAgent", "UnregisterAgent"] as [MemberName] {
        await $0.reply(to: member) { _ in .success([]) }
      }
    } _: {
      try await body($0)
    }
  }

  /// Has the daemon make the link, ask these questions, and then give this answer to `Pair`.
  private static func pair(
    _ stage: Stage, asking questions: [Question] = [], answer: Result<[DBusValue], DBusError> = .success([])
  ) async -> Answers {
    let answers = Answers()
    await stage.daemon.reply(to: "Pair") { [daemon = stage.daemon, central = stage.central] _ in
      await daemon.setDevice(["Connected": .bool(true)])
      for question in questions {
        let call = MethodCall(
          destination: central.connection.uniqueName, path: agent, interface: "org.bluez.Agent1",
          member: question.member, body: question.body)
        do throws(DBusError) {
          let answer = try await (question.asker ?? daemon.connection).call(call)
          answers.add("\(answer)")
        } catch {
          answers.add(error.name)
        }
      }
      return answer
    }
    await stage.daemon.reply(to: "Disconnect") { [daemon = stage.daemon] _ in
      await daemon.setDevice(["Connected": .bool(false)])
      return .success([])
    }
    return answers
  }

  /// A question to the agent.
  private struct Question: Sendable {
    var member: MemberName
    var body: [DBusValue]
    /// Who asks; bluetoothd if nil.
    var asker: Connection?

    init(_ member: MemberName, _ body: DBusValue..., from asker: Connection? = nil) {
      (self.member, self.body, self.asker) = (member, body, asker)
    }
  }

  private final class Answers: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  private static func failure(_ stage: Stage, _ method: Pairing.Method) async -> CentralError? {
    await BlueZTests.failure { () async throws(CentralError) in
      try await stage.central.connect(
        to: Sample.address, on: Sample.adapter, pairing: Pairing(method)
      ) {}
    }
  }

  @Test("Pair takes the place of Connect, after the intent, with an agent that exists only meanwhile")
  func justWorks() async throws {
    try await stage { stage in
      _ = await Self.pair(stage)
      let link = try await stage.central.connect(
        to: Sample.address, on: Sample.adapter,
        pairing: Pairing(.justWorks) { [daemon = stage.daemon] () async throws(CentralError) in
          if await daemon.count("Pair") > 0 { throw CentralError(.other, stackText: "too late") }
        }
      ) {}
      #expect(link.address == Sample.address)
      #expect(
        await stage.daemon.members(Self.ofInterest) == ["RegisterAgent", "Pair", "UnregisterAgent"])
      let registration = await stage.daemon.calls.first { $0.member == "RegisterAgent" }
      #expect(registration?.path == "/org/bluez")
      #expect(registration?.body == [.objectPath(Self.agent), .string("NoInputNoOutput")])
    }
  }

  @Test(
    "the agent gives the passkey to bluetoothd, for the device that is being paired, and refuses all else")
  func questions() async throws {
    try await stage { stage in
      let stranger = try await Connection.open(stage.bus.busAddress)
      let device = DBusValue.objectPath(FakeBlueZ.device)
      let answers = await Self.pair(
        stage,
        asking: [
          Question("RequestPasskey", device, from: stranger),
          Question("RequestPasskey", .objectPath(Self.another)),
          Question("RequestAuthorization", .objectPath(Self.another)),
          Question("AuthorizeService", .objectPath(Self.another), .string("1800")),
          Question("RequestPasskey", device),
          Question("Cancel"),
        ])
      _ = try await stage.central.connect(
        to: Sample.address, on: Sample.adapter, pairing: Pairing(try Self.passkey())
      ) {}
      let refused = "org.bluez.Error.Rejected"
      #expect(
        answers.all == [refused, refused, refused, refused, "\([DBusValue.uint32(42)])", "[]"])
      let registration = await stage.daemon.calls.first { $0.member == "RegisterAgent" }
      #expect(registration?.body.last == .string("KeyboardOnly"))
      await stranger.close()
    }
  }

  @Test(
    "each failure of Pair has its code, ends the link and the agent",
    arguments: [
      ("AuthenticationFailed", false, nil, .pairing(.refused)),
      ("AuthenticationFailed", true, "RequestPasskey", .pairing(.passkeyRefused)),
      ("AuthenticationFailed", true, "RequestConfirmation", .pairing(.unsuitable)),
      ("AuthenticationFailed", false, "RequestPinCode", .pairing(.unsuitable)),
      ("AuthenticationCanceled", false, nil, .pairing(.lost)),
      ("AuthenticationTimeout", false, nil, .pairing(.lost)),
      ("AuthenticationRejected", false, nil, .pairing(.refused)),
      ("AlreadyExists", false, nil, .pairing(.bondExists)),
      ("ConnectionAttemptFailed", false, nil, .connectFailed),
      ("NotReady", false, nil, .adapterUnavailable(.poweredOff)),
    ] as [(String, Bool, MemberName?, CentralError.Code)])
  func failures(name: String, withPasskey: Bool, question: MemberName?, code: CentralError.Code) async throws
  {
    try await stage { stage in
      let questions = question.map { [Question($0, .objectPath(FakeBlueZ.device))] } ?? []
      _ = await Self.pair(
        stage, asking: questions, answer: .failure(.remote("org.bluez.Error." + name, "as it is")))
      let passkey = try Self.passkey()
      let error = await Self.failure(stage, withPasskey ? passkey : .justWorks)
      #expect(error?.code == code)
      #expect(error?.stackText?.hasPrefix("org.bluez.Error.\(name): as it is") == true)
      #expect(
        await stage.daemon.members(Self.ofInterest)
          == ["RegisterAgent", "Pair", "Disconnect", "UnregisterAgent"])
      #expect(await !stage.daemon.isConnected)
    }
  }

  @Test("the passkey of an attempt that bluetoothd ended does not count for the next one")
  func givenBefore() async throws {
    try await stage { stage in
      let ask = MethodCall(
        destination: stage.central.connection.uniqueName, path: Self.agent, interface: "org.bluez.Agent1",
        member: "RequestPasskey", body: [.objectPath(FakeBlueZ.device)])
      await stage.daemon.reply(to: "Pair") { [daemon = stage.daemon] _ in
        guard await daemon.count("Pair") == 1 else {
          await daemon.setDevice(["Connected": .bool(true)])
          return .success([])
        }
        _ = try? await daemon.connection.call(ask)
        return .failure(.remote("org.bluez.Error.InProgress", "In Progress"))
      }
      await stage.daemon.reply(to: "Disconnect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(false)])
        return .success([])
      }
      let error = await Self.failure(stage, try Self.passkey())
      #expect(error?.code == .pairing(.passkeyUnused))
      #expect(await stage.daemon.count("Pair") == 2)
      #expect(await !stage.daemon.isConnected)
    }
  }

  @Test("a link that bluetoothd encrypts without the passkey is not accepted")
  func unused() async throws {
    try await stage { stage in
      _ = await Self.pair(stage)
      let error = await Self.failure(stage, try Self.passkey())
      #expect(error?.code == .pairing(.passkeyUnused))
      #expect(await !stage.daemon.isConnected)
    }
  }

  @Test("Pair without an answer ends 45 s after the link is up", .timeLimit(.minutes(1)))
  func overdue() async throws {
    try await stage { stage in
      await stage.daemon.reply(to: "Pair") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(true)])
        await forever()
        return .success([])
      }
      await stage.daemon.reply(to: "Disconnect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(false)])
        return .success([])
      }
      let began = stage.central.clock.now
      let error = await Self.failure(stage, .justWorks)
      #expect(error?.code == .pairing(.lost))
      let took = began.duration(to: stage.central.clock.now)
      #expect(took >= .seconds(45) && took <= .seconds(50), "\(took)")
      #expect(await stage.daemon.members(Self.ofInterest).last == "UnregisterAgent")
    }
  }

  @Test("cancelling ends the link and the agent, and never calls CancelPairing, which may delete a key")
  func cancelled() async throws {
    try await stage { stage in
      _ = await Self.pair(stage)
      await stage.daemon.neverReply(to: "Pair")
      let error = await withTaskGroup(of: CentralError?.self) { group in
        group.addTask { await Self.failure(stage, .justWorks) }
        await stage.daemon.called("Pair")
        group.cancelAll()
        return await group.next() ?? nil
      }
      #expect(error?.code == .cancelled)
      #expect(
        await stage.daemon.members(Self.ofInterest)
          == ["RegisterAgent", "Pair", "Disconnect", "UnregisterAgent"])
    }
  }

  @Test("a device with a bond is only connected to", arguments: ["Paired", "Bonded"])
  func bonded(property: String) async throws {
    try await stage([property: .bool(true)]) { stage in
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(true)])
        return .success([])
      }
      _ = try await stage.central.connect(
        to: Sample.address, on: Sample.adapter,
        pairing: Pairing(.justWorks) { () async throws(CentralError) in
          throw CentralError(.other, stackText: "there is a bond already")
        }
      ) {}
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect"])
    }
  }

  @Test("no link is made by a bond that may be without the passkey", arguments: [false, true])
  func bondOfAnother(isTrusted: Bool) async throws {
    try await stage(["Paired": .bool(true), "Bonded": .bool(true)]) { stage in
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        await daemon.setDevice(["Connected": .bool(true)])
        return .success([])
      }
      let passkey = try Self.passkey()
      let error = await BlueZTests.failure { () async throws(CentralError) in
        try await stage.central.connect(
          to: Sample.address, on: Sample.adapter, pairing: Pairing(passkey, trustsBond: isTrusted)
        ) {}
      }
      let code: CentralError.Code? = isTrusted ? nil : .pairing(.passkeyUnused)
      let calls: [MemberName] = isTrusted ? ["Connect"] : []
      #expect(error?.code == code)
      #expect(await stage.daemon.members(Self.ofInterest) == calls)
    }
  }

  @Test("a link is not used if its bond goes while it is made")
  func bondRemoved() async throws {
    try await stage(["Paired": .bool(true)]) { stage in
      _ = await Self.pair(stage)
      await stage.daemon.reply(to: "Connect") { [daemon = stage.daemon] _ in
        // As after an idle `CancelPairing`.
        await daemon.setDevice(["Paired": .bool(false), "Connected": .bool(true)])
        return .success([])
      }
      #expect(await Self.failure(stage, .justWorks)?.code == .peripheralUnknown)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect", "Disconnect"])
      #expect(await !stage.daemon.isConnected)
    }
  }

  @Test("a device that BlueZ removes, or another program pairs, before the call of Pair is not paired")
  func changedMeanwhile() async throws {
    for (isRemoved, code) in [(true, .peripheralUnknown), (false, .pairing(.bondExists))]
      as [(Bool, CentralError.Code)]
    {
      try await stage { stage in
        _ = await Self.pair(stage)
        let error = await BlueZTests.failure { () async throws(CentralError) in
          try await stage.central.connect(
            to: Sample.address, on: Sample.adapter,
            pairing: Pairing(.justWorks) {
              [daemon = stage.daemon, central = stage.central] () async throws(CentralError) in
              if isRemoved {
                await daemon.remove(FakeBlueZ.device)
              } else {
                await daemon.setDevice(["Paired": .bool(true)])
              }
              // Its reply follows the signal.
              await central.ask()
            }
          ) {}
        }
        #expect(error?.code == code)
        #expect(await stage.daemon.members(Self.ofInterest) == ["RegisterAgent", "UnregisterAgent"])
      }
    }
  }

  @Test("a bond that the device may have lost is no failure of the radio")
  func staleBond() async throws {
    try await stage(["Paired": .bool(true)]) { stage in
      await stage.daemon.refuse("Connect", "org.bluez.Error.Failed", "le-connection-abort-by-local")
      let error = await Self.failure(stage, .justWorks)
      #expect(error?.code == .pairing(.lost))
      #expect(error?.stackText?.contains("bond") == true)
      #expect(await stage.daemon.members(Self.ofInterest) == ["Connect"])
    }
  }

  @Test("a device that another program is connected to is not paired, and there is no intent")
  func linkOfAnother() async throws {
    try await stage(["Connected": .bool(true)]) { stage in
      let error = await BlueZTests.failure { () async throws(CentralError) in
        try await stage.central.connect(
          to: Sample.address, on: Sample.adapter,
          pairing: Pairing(.justWorks) { () async throws(CentralError) in throw CentralError(.other) }
        ) {}
      }
      #expect(error?.code == .busy)
      #expect(await stage.daemon.members(Self.ofInterest) == ["RegisterAgent", "UnregisterAgent"])
    }
  }

  @Test("an agent that bluetoothd still has of an earlier pairing is replaced")
  func agentLeft() async throws {
    try await stage { stage in
      _ = await Self.pair(stage)
      await stage.daemon.reply(to: "RegisterAgent") { [daemon = stage.daemon] _ in
        await daemon.count("RegisterAgent") > 1
          ? .success([]) : .failure(.remote("org.bluez.Error.AlreadyExists", "Already Exists"))
      }
      #expect(await Self.failure(stage, .justWorks) == nil)
      #expect(
        await stage.daemon.members(Self.ofInterest)
          == ["RegisterAgent", "UnregisterAgent", "RegisterAgent", "Pair", "UnregisterAgent"])
    }
  }

  @Test("without the permission to have an agent nothing is paired")
  func noAgent() async throws {
    try await stage { stage in
      await stage.daemon.refuse("RegisterAgent", "org.freedesktop.DBus.Error.AccessDenied", "no")
      #expect(await Self.failure(stage, .justWorks)?.code == .permissionDenied)
      #expect(await stage.daemon.count("Pair") == 0)
    }
  }

  @Test("only a bond of this program is removed, and not what the user trusts or blocks")
  func forget() async throws {
    for (properties, removingBond, calls) in [
      (["Paired": .bool(true), "Bonded": .bool(true)], false, 0),
      (["Paired": .bool(true), "Bonded": .bool(true)], true, 1),
      (["Bonded": .bool(true), "Trusted": .bool(true)], true, 0),
      (["Paired": .bool(true), "Blocked": .bool(true)], true, 0),
    ] as [(Properties, Bool, Int)] {
      try await stage(properties) { stage in
        let isConfirmed = try await stage.central.forget(
          Sample.address, on: Sample.adapter, removingBond: removingBond)
        #expect(isConfirmed)
        #expect(await stage.daemon.count("RemoveDevice") == calls, "\(properties)")
      }
    }
  }
}
