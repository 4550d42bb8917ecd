import Bluetooth
import EspMessages
import FoundationEssentials
import Hex
import Model
import Session
import Synchronization

extension EspIdf {
  /// Sets up a session, checks the network if the room wants that, sends what the manifest has for the product's own
  /// endpoints, gives the device its network and waits until it has joined.
  static func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let link = try await session.connect()
    let ofProduct: [BluetoothUUID] =
      if case .uuid(let uuid)? = session.room.access[.service] { [uuid] } else { [] }
    let endpoints = try await session.stage(.discover) { () throws(CentralError) in
      try await EspEndpoints.find(over: link, in: ofProduct + Service.all)
    }
    let own = session.room.entries(of: Endpoint.ofProduct)
    if let missing = own.first(where: { !endpoints.has($0.name) }) {
      throw AttemptFailure(.settingUnsupported(Endpoint.ofProduct.entry(missing.name).name))
    }
    let (channel, version) = try await open(endpoints, for: session)
    let device = EspDevice(session: session, channel: channel, version: version)
    try await device.checkWiFi()
    for (name, value) in own {
      guard case .secret(let secret) = value else { continue }
      try await device.send(secret, to: name)
    }
    try await device.send()
    return try await device.join()
  }

  /// Stage `ready`: the version and the handshake.
  private static func open(
    _ endpoints: EspEndpoints, for session: DeviceSession
  ) async throws(AttemptFailure) -> (EspChannel, EspVersion) {
    let room = session.room
    let username = room.text(of: .username) ?? []
    let credentials = EspCredentials(
      proof: room.text(of: .proofOfPossession) ?? [],
      username: username.isEmpty ? Array(defaultUsername.utf8) : username)
    let rule = EspIdf.security
    let least = rule.lowest(room.access, recorded: session.leastSecurity)
    let (version, security, result) = try await session.stage(.ready) { () throws(CentralError) in
      let version = EspVersion(try await endpoints.exchange(Endpoint.version, Array("ESP".utf8)))
      // Firmware that does not say it has the security that the manifest names.
      let held = version.security ?? rule.named(room.access)
      guard !version.isForThread, let security = held, security >= least else {
        return (version, held, EspHandshake.Result?.none)
      }
      let handshake = EspHandshake(
        endpoints: endpoints, credentials: credentials, randomBytes: session.randomBytes)
      return (version, security, try await handshake.perform(security, version))
    }
    if version.isForThread { throw AttemptFailure(.notForWiFi) }
    switch result {
    case nil:
      throw AttemptFailure(
        .securityTooLow(held: security.map { "security \($0)" } ?? "a security that it does not name"))
    case .refused(let text)?:
      throw AttemptFailure(
        .credentialsRefused(
          FailedStep(.ready, stackText: text), source: room.origins[.proofOfPossession]?.written))
    case .agreed(let cipher)?:
      if let security { await session.secured(by: security) }
      return (EspChannel(endpoints, cipher), version)
    }
  }
}

extension Room {
  /// The bytes of what lets a session in; nil without it.
  fileprivate func text(of name: SettingName) -> [UInt8]? {
    switch access[name] {
    case .text(let text): Array(text.utf8)
    case .secret(let secret): Array(secret.reveal().utf8)
    default: nil
    }
  }
}

private struct EspDevice: Sendable {
  let session: DeviceSession
  let channel: EspChannel
  let version: EspVersion

  private static let settings: [SettingName] = [.wifiSSID, .wifiPassword]
  /// The most networks that firmware keeps by default (Kconfig: 1 to 255).
  private static let fullList = 16
  /// The time between two questions for the state [assumed to do no harm].
  private static let pollInterval = Duration.seconds(1)

  // MARK: The network before anything is applied

  /// Has the device scan, if the manifest wants that. After a failed join a scan would never end. After a request that
  /// failed the encryption may be out of step, so a failed scan ends the attempt.
  func checkWiFi() async throws(AttemptFailure) {
    guard let ssid = try await session.networkToList() else { return }
    guard version.scansWiFi, channel.endpoints.has(EspIdf.Endpoint.scan) else {
      return try await session.check(ssid, in: nil)
    }
    let (channel, device) = (channel, self)
    let scan = try await session.stage(.read, setting: .wifiSSID) { () throws(CentralError) in
      guard try await device.state().state != .connectionFailed else {
        return WiFiScan(networks: [], extent: .cut)
      }
      let networks = try await channel.scan()
      return WiFiScan(networks: networks, extent: networks.count < Self.fullList ? .whole : .full)
    }
    try await session.check(ssid, in: scan)
  }

  // MARK: Sending and joining

  /// Stage `write`: a value for an endpoint of the product. The answer to a text may repeat it in any form, so only an answer
  /// to bytes is recorded, and what an endpoint of RainMaker says.
  func send(_ value: Secret, to endpoint: String) async throws(AttemptFailure) {
    guard let bytes = value.bytes else { preconditionFailure("the settings of a room must be checked") }
    let channel = channel
    let setting = EspIdf.Endpoint.ofProduct.entry(endpoint).name
    let answer = try await session.sending([setting]) { () throws(CentralError) in
      try await channel.exchange(endpoint, bytes)
    }
    switch endpoint == RainMaker.endpoint ? RainMaker.Answer(answer) : nil {
    case .node(let node)?:
      await session.received("\(endpoint) answered", as: .other)
      session.describe([DeviceDetail(.nodeID, node)])
    case .refused(let text)?:
      await session.rejected([setting])
      await session.received(text, as: .refusal)
      throw AttemptFailure(.refused(stage: .write, deviceText: text))
    case nil:
      await session.received("\(endpoint) answered" + (value.isHex ? " \(answer.hex())" : ""), as: .other)
    }
  }

  /// Stage `write`: the network, which the device keeps in its RAM.
  func send() async throws(AttemptFailure) {
    let device = self
    let status = try await session.sending(Self.settings) { () throws(CentralError) in
      try await device.set()
    }
    guard status == .success else {
      await session.rejected(Self.settings)
      await session.received("\(status)", as: .refusal)
      throw AttemptFailure(.refused(stage: .write, deviceText: "\(status)"))
    }
    await session.confirmWritten(Self.settings)
  }

  private func set() async throws(CentralError) -> EspStatus {
    var request = EspConfigMessage()
    request.msg = 2
    request.setConfig = configuration
    guard
      case .setResponse(let response)? = try await channel.exchange(EspIdf.Endpoint.config, request).payload
    else { throw Self.unexpected }
    return response.status
  }

  private var configuration: EspConfigMessage.SetConfig {
    var configuration = EspConfigMessage.SetConfig()
    if case .text(let ssid)? = session.room.settings[.wifiSSID] { configuration.ssid = Data(ssid.utf8) }
    if case .secret(let password)? = session.room.settings[.wifiPassword] {
      configuration.passphrase = Data(password.reveal().utf8)
    }
    return configuration
  }

  /// How a join ended, by the device's own word.
  private enum Joined: Sendable {
    case connected(EspConfigMessage.Connected)
    /// It joined this network by a command that this run cannot tell from one of another client, whose password is
    /// not known.
    case joinedBefore(EspConfigMessage.Connected)
    /// It tried and could not.
    case failed(WiFiRefusal, String)
    /// It did not try.
    case refused(String)
  }

  /// Stage `save`: has the device join, and follows its state. What is lost after the submission is not a failure yet:
  /// the device may have joined. If it still advertises, the next attempt asks it.
  func join() async throws(AttemptFailure) -> Submission {
    let submittedAt = try await session.submit()
    let (device, command) = (self, FollowedCommand())
    let joined: Joined
    do throws(AttemptFailure) {
      joined = try await session.stage(.save) { () throws(CentralError) in
        try await device.applyAndFollow(command)
      }
    } catch {
      if command.mayBeForeign, error.reason.failureClass != .cancelled {
        throw AttemptFailure(.settingsUnknown(nil))
      }
      switch error.reason.code {
      case .linkLost:
        throw AttemptFailure(.linkLost(FailedStep(.verify, stackText: error.reason.stackText)))
      case .stageTimedOut:
        await reset()
        throw AttemptFailure(.stageTimedOut(FailedStep(.verify), seconds: error.reason.seconds))
      default: return Submission(at: submittedAt, acknowledgement: nil, problem: error.reason)
      }
    }
    switch joined {
    case .connected(let network):
      let ssid = String(decoding: network.ssid, as: UTF8.self)
      await session.received("connected to \(ssid) as \(network.ip4)", as: .saved)
      session.describe(network.details)
      guard Array(network.ssid) == Array(configuration.ssid) else {
        throw AttemptFailure(.refused(stage: .save, deviceText: "connected to \(ssid)"))
      }
      return Submission(at: submittedAt, acknowledgement: .savedStatus)
    case .joinedBefore(let network):
      let ssid = String(decoding: network.ssid, as: UTF8.self)
      await session.received("connected to \(ssid) by an earlier command", as: .other)
      throw AttemptFailure(.settingsUnknown(nil))
    case .refused(let text):
      await session.received(text, as: .refusal)
      await reset()
      throw AttemptFailure(.refused(stage: .save, deviceText: text))
    case .failed(let cause, let text):
      await session.received(text, as: .refusal)
      // Without this it would keep the network, and never advertise again after its next start.
      await reset()
      throw AttemptFailure(.wifiRefused(cause, deviceText: text))
    }
  }

  /// Only a command that the device accepted is this run's; its report has the network, but not the password.
  private func applyAndFollow(_ command: FollowedCommand) async throws(CentralError) -> Joined {
    if let refusal = try await apply() {
      // It is joining, has joined or could not, by a command whose answer was lost, or by another client's.
      guard refusal == .internalError else { return .refused("\(refusal)") }
      command.mayBeForeign = session.recorded?.isAccepted != true
      if try await state().state == .connectionFailed {
        if let refusal = try await applyAgain(command) { return .refused("\(refusal)") }
      }
    }
    while true {
      let state = try await state()
      switch state.detail {
      case .connected(let network)?:
        return command.mayBeForeign ? .joinedBefore(network) : .connected(network)
      case .failReason(let reason)? where state.state == .connectionFailed:
        if !command.mayBeForeign { return .failed(reason.cause, reason.words) }
        if let refusal = try await applyAgain(command) { return .refused("\(refusal)") }
      default: break
      }
      try await session.clock.pause(Self.pollInterval)
    }
  }

  /// Has a device that could not join forget that network, and join the room's. A device that failed is in no join, so
  /// the next one is this run's.
  private func applyAgain(_ command: FollowedCommand) async throws(CentralError) -> EspStatus? {
    command.mayBeForeign = false
    await session.excludesEarlierCommands()
    try await requestReset()
    let refusal = try await set()
    return refusal == .success ? try await apply() : refusal
  }

  /// - Returns: the status, unless it is success.
  private func apply() async throws(CentralError) -> EspStatus? {
    var request = EspConfigMessage()
    request.msg = 4
    request.apply = .init()
    guard
      case .applyResponse(let response)? = try await channel.exchange(EspIdf.Endpoint.config, request).payload
    else { throw Self.unexpected }
    guard response.status == .success else { return response.status }
    await session.received("accepted", as: .accepted)
    return nil
  }

  /// The state of the join. Without a detail, `connected` is only the default of a field that is not there; without an
  /// address it has joined nothing.
  func state() async throws(CentralError) -> EspConfigMessage.StatusResponse {
    var request = EspConfigMessage()
    request.getStatus = .init()
    guard case .status(let response)? = try await channel.exchange(EspIdf.Endpoint.config, request).payload,
      response.status == .success
    else { throw Self.unexpected }
    if case .connected(let network)? = response.detail, response.state != .connected || !network.hasAddress {
      throw Self.unexpected
    }
    return response
  }

  // MARK: Reset

  /// Makes the device forget a network that it could not join, so that it can be given another one. Its errors are
  /// none: some firmware resets itself.
  private func reset() async {
    let device = self
    _ = try? await session.stage(.write) { () throws(CentralError) in try await device.requestReset() }
  }

  private func requestReset() async throws(CentralError) {
    guard channel.endpoints.has(EspIdf.Endpoint.control) else { return }
    var request = EspControlMessage()
    request.msg = 1
    request.reset = .init()
    _ = try await channel.exchange(EspIdf.Endpoint.control, request)
  }

  private static let unexpected = EspChannel.noAnswer(of: EspIdf.Endpoint.config)
}

extension EspConfigMessage.Connected {
  var hasAddress: Bool { IPv4Address(ip4).map { $0.rawValue >> 24 != 0 } ?? false }

  /// Its address in the network, and the access point. Firmware copies the BSSID as a C string, so what follows a zero in
  /// it is not the access point's.
  fileprivate var details: [DeviceDetail] {
    var details = [DeviceDetail(.ipAddress, ip4)]
    if bssid.count == 6, !bssid.dropLast().contains(0) {
      details.append(
        DeviceDetail(.bssid, "\(BluetoothAddress(rawValue: bssid.reduce(0) { $0 << 8 | UInt64($1) }))"))
    }
    if channel > 0 { details.append(DeviceDetail(.channel, "\(channel)")) }
    return details
  }
}

/// The command whose result a device reports.
private final class FollowedCommand: Sendable {
  private let foreign = Mutex(false)
  /// Whether the device is busy with one that nothing shows to be this run's.
  var mayBeForeign: Bool {
    get { foreign.withLock { $0 } }
    set { foreign.withLock { $0 = newValue } }
  }
}

extension EspFailReason {
  fileprivate var cause: WiFiRefusal {
    switch self {
    case .authError: .password
    case .networkNotFound: .network
    case .UNRECOGNIZED: .unknown
    }
  }

  /// As the protocol names it.
  fileprivate var words: String {
    switch self {
    case .authError: "AuthError"
    case .networkNotFound: "NetworkNotFound"
    case .UNRECOGNIZED(let number): "reason \(number)"
    }
  }
}

extension EspChannel {
  /// The networks that the device receives, the strongest first.
  fileprivate func scan() async throws(CentralError) -> [FoundNetwork] {
    var start = EspScanMessage()
    start.start.blocking = true
    start.start.periodMs = 120
    _ = try await scan(start)
    var question = EspScanMessage()
    question.msg = 2
    question.getStatus = .init()
    guard case .statusResponse(let status)? = try await scan(question).payload, status.finished else {
      throw Self.unexpected
    }
    var networks: [FoundNetwork] = []
    // Beyond the number of results it refuses; four fit into the shortest values.
    while networks.count < min(Int(status.resultCount), 255) {
      var request = EspScanMessage()
      request.msg = 4
      request.getResult.startIndex = UInt32(networks.count)
      request.getResult.count = min(4, status.resultCount - UInt32(networks.count))
      guard case .resultResponse(let page)? = try await scan(request).payload, !page.entries.isEmpty else {
        throw Self.unexpected
      }
      networks += page.entries.map {
        FoundNetwork(
          ssid: String(decoding: $0.ssid.prefix(FoundNetwork.mostBytes), as: UTF8.self), rssi: Int($0.rssi),
          channel: (1...233).contains($0.channel) ? Int($0.channel) : nil)
      }
    }
    return networks
  }

  private func scan(_ request: EspScanMessage) async throws(CentralError) -> EspScanMessage {
    let answer = try await exchange(EspIdf.Endpoint.scan, request)
    guard answer.status == .success else { throw Self.unexpected }
    return answer
  }

  private static let unexpected = noAnswer(of: EspIdf.Endpoint.scan)
}
