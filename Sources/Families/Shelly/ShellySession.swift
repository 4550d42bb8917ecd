import Bluetooth
import Model
import Session
import Synchronization

/// The steps of a GATT session with a Shelly after discovery.
///
/// Success is what the device reports after the command of this run: an address in the room's network. A network that it has
/// joined before shows nothing, not even the same one: it leaves that first.
struct ShellySession: Sendable {
  let session: DeviceSession
  let channel: ShellyChannel

  /// The time between two questions for the state.
  private static let pollInterval = Duration.seconds(1)
  /// How long the device may take to leave its network [assumed].
  private static let leavesWithin = Duration.seconds(15)

  private var room: Room { session.room }

  /// What the device is to join, by its own word before anything is written.
  struct Network: Sendable {
    /// The network that it has joined or is to join; nil if there is none, or if it is unknown.
    let ssid: String?
    /// Whether the device was given the settings that precede the proof by this run.
    let isGiven: Bool
  }

  // MARK: Before any write

  /// Stage `ready`: the device says what it is.
  /// - Throws: `otherDevice` if that is not the room's; `credentialsRefused` if it has a password and the room has none.
  func identify() async throws(AttemptFailure) -> ShellyInfo {
    let channel = channel
    let reply = try await session.stage(.ready) { () throws(CentralError) in
      try await channel.link.drain()
      return try await channel.call("Shelly.GetDeviceInfo", as: ShellyInfo.self)
    }
    guard let device = try value(of: reply, in: .ready) else { throw unreadable(in: .ready) }
    session.describe([
      DeviceDetail(.firmware, device.app ?? ""), DeviceDetail(.firmwareVersion, device.ver ?? ""),
      DeviceDetail(.hardware, device.model ?? ""), DeviceDetail(.deviceName, device.id),
    ])
    guard device.gen >= 2 else {
      throw AttemptFailure(.otherDevice(held: "\(device.id) of generation \(device.gen)"))
    }
    if let label = room.labelAddress, BluetoothAddress(device.mac) != label {
      throw AttemptFailure(.otherDevice(held: device.id))
    }
    if device.auth_en == true, room.settings[.adminPassword] == nil {
      throw AttemptFailure(
        .credentialsRefused(FailedStep(.ready, stackText: "it has an admin password, and the room has none")))
    }
    return device
  }

  /// Stage `read`: the network of the device, and whether this run may replace it.
  /// - Throws: `foreignSettings` if it has another's.
  func readNetwork(of device: ShellyInfo) async throws(AttemptFailure) -> Network {
    let channel = channel
    let (first, second) = try await session.stage(.read, setting: .wifiSSID) { () throws(CentralError) in
      (
        try await channel.call("WiFi.GetStatus", as: ShellyStatus.self),
        try await channel.call("WiFi.GetConfig", as: ShellyNetworks.self)
      )
    }
    guard let status = try value(of: first, in: .read) else { throw unreadable(in: .read) }
    let configured = try value(of: second, in: .read)
    let ssid = status.ssid ?? configured?.ssid
    if ssid == nil, configured != nil { return Network(ssid: nil, isGiven: false) }
    // A long configuration cannot be read, and that of a new device is short.
    var held = [HeldSetting(name: .wifiSSID, value: ssid ?? "not readable")]
    var values: [SettingName: SettingValue] = [.wifiSSID: .text(ssid ?? "")]
    if let name = device.name, !name.isEmpty {
      held.append(HeldSetting(name: .roomName, value: name))
      values[.roomName] = .text(name)
    }
    await session.found(held)
    guard session.mayWrite(over: values) else {
      let shown = held.map { "\($0.name) \($0.value)" }
      throw AttemptFailure(.foreignSettings(held: shown.joined(separator: ", "), .reading))
    }
    let isOurs = ssid != nil && values[.wifiSSID] == room.settings[.wifiSSID]
    return Network(ssid: ssid, isGiven: isOurs && session.recorded?.isAccepted == true)
  }

  func checkWiFi() async throws(AttemptFailure) {
    let channel = channel
    try await session.checkWiFi { () throws(CentralError) in try await channel.networks() }
  }

  // MARK: Writing

  /// Writes everything, and waits for the proof: again after a restart, and before anything that may shut the device.
  func apply(to device: ShellyInfo, in network: Network) async throws(AttemptFailure) -> Submission {
    var submission = Submission(at: try await session.submit(), acknowledgement: nil)
    let settings = ShellySettings(room)
    var isTold = false
    if network.isGiven {
      await session.confirmWritten(settings.beforeProof)
    } else {
      for request in settings.requests { isTold = try await write(request) || isTold }
      try await leave(network, settings.join.settings)
      isTold = try await write(settings.join) || isTold
      await session.received("accepted", as: .accepted)
    }
    let status = try await prove()
    if try await mustRestart(isTold) {
      try await restart()
      throw AttemptFailure(.deviceRestarts)
    }
    for request in settings.last(of: device.id) { try await write(request) }
    // Only its restart takes the service away.
    if room.settings[.bluetoothRPC] != nil { try await restart() }
    session.describe([DeviceDetail(.url, "http://\(status.sta_ip ?? "")/")])
    await session.received("got ip \(status.sta_ip ?? "")", as: .saved)
    submission.acknowledgement = .savedStatus
    return submission
  }

  /// Stage `write`: one request, which the device keeps at once.
  /// - Returns: whether the device says that it takes effect only after a restart.
  @discardableResult
  private func write(_ request: ShellySettings.Request) async throws(AttemptFailure) -> Bool {
    let channel = channel
    let reply = try await session.sending(request.settings) { () throws(CentralError) in
      try await channel.call(request.method, request.params)
    }
    let result: ShellyRestart?
    do throws(AttemptFailure) {
      // Nothing shows whether it has them.
      if case .unreadable = reply { throw unreadable(in: .write) }
      result = try value(of: reply, in: .write)
    } catch {
      if error.reason.code != .stackError { await session.rejected(request.settings) }
      if error.reason.trait == .refusal {
        await session.received(error.reason.deviceText ?? "", as: .refusal)
      }
      throw error
    }
    await session.confirmWritten(request.settings)
    return result?.restart_required == true
  }

  /// Has a device that has joined the room's network leave it, so that what it reports later is by this run's command.
  /// - Parameter settings: those of its network, of which the device then has none.
  private func leave(_ network: Network, _ settings: [SettingName]) async throws(AttemptFailure) {
    guard let ssid = network.ssid, .text(ssid) == room.settings[.wifiSSID] else { return }
    let (work, channel, clock) = (self, channel, session.clock)
    let hasLeft = try await session.sending(settings) { () throws(CentralError) in
      _ = try await channel.call("WiFi.SetConfig", ShellySettings.leave)
      let end = clock.now.advanced(by: Self.leavesWithin)
      while clock.now < end {
        if let status = try await work.status(), !status.hasAddress { return true }
        try await clock.pause(Self.pollInterval)
      }
      return false
    }
    guard hasLeft else {
      throw AttemptFailure(.stackError(FailedStep(.write, stackText: "it does not leave its network")))
    }
  }

  // MARK: Proof

  /// Stage `save`: the device has an address in the room's network. A device that reports none does not say why; it would keep
  /// the network, so it gets it taken away again.
  private func prove() async throws(AttemptFailure) -> ShellyStatus {
    let (work, last) = (self, LastStatus())
    do throws(AttemptFailure) {
      return try await session.stage(.save) { () throws(CentralError) in
        while true {
          if let status = try await work.status() {
            last.take(status)
            if work.isProof(status) { return status }
          }
          try await work.session.clock.pause(Self.pollInterval)
        }
      }
    } catch {
      switch error.reason.code {
      case .linkLost:
        throw AttemptFailure(.linkLost(FailedStep(.verify, stackText: error.reason.stackText)))
      case .stageTimedOut where last.text != nil:
        let text = last.text ?? ""
        await session.received(text, as: .refusal)
        await forgetNetwork()
        throw AttemptFailure(.wifiRefused(.unknown, deviceText: text))
      default: throw error
      }
    }
  }

  /// The state of its network; nil without an answer, which a device may lack while it joins.
  private func status() async throws(CentralError) -> ShellyStatus? {
    do throws(CentralError) {
      return try await channel.call("WiFi.GetStatus", as: ShellyStatus.self).value
    } catch {
      guard error.code == .timedOut else { throw error }
      return nil
    }
  }

  /// An address in the network of the room, and the room's if it has one.
  private func isProof(_ status: ShellyStatus) -> Bool {
    guard status.hasAddress, let ssid = status.ssid, .text(ssid) == room.settings[.wifiSSID],
      let address = status.sta_ip.flatMap({ IPv4Address($0) }), address.canBeHost
    else { return false }
    guard case .text(let text)? = room.settings[.staticAddress] else { return true }
    return IPv4Interface(text)?.address == address
  }

  /// Its errors are none: the room has failed.
  private func forgetNetwork() async {
    let channel = channel
    _ = try? await session.stage(.write) { () throws(CentralError) in
      _ = try await channel.call("WiFi.SetConfig", ShellySettings.leave)
    }
  }

  // MARK: Restart

  /// Whether some settings take effect only after a restart, as the device says: also those of an attempt that was cut off.
  /// - Parameter isTold: what firmware said that does not have this method.
  private func mustRestart(_ isTold: Bool) async throws(AttemptFailure) -> Bool {
    let channel = channel
    let reply = try await session.stage(.read) { () throws(CentralError) in
      try await channel.call("Sys.GetStatus")
    }
    if case .refused(let refusal) = reply, refusal.code == ShellyAnswer.unknownMethod { return isTold }
    guard let status = try value(of: reply, in: .read) else { return isTold }
    return status.restart_required == true
  }

  /// Stage `write`: the device restarts. It may end the link before it answers.
  private func restart() async throws(AttemptFailure) {
    let channel = channel
    do throws(AttemptFailure) {
      let reply = try await session.stage(.write) { () throws(CentralError) in
        try await channel.call("Shelly.Reboot")
      }
      _ = try value(of: reply, in: .write)
    } catch {
      guard error.reason.code == .linkLost else { throw error }
    }
  }

  // MARK: Answers

  /// The value of an answer; nil for one that cannot be read, and for a method without a value.
  private func value<Value>(
    of reply: ShellyReply<Value>, in stage: Stage
  ) throws(AttemptFailure) -> Value? {
    switch reply {
    case .result(let value): return value
    case .unreadable: return nil
    case .refused(let refusal): throw AttemptFailure(.refused(stage: stage, deviceText: refusal.text))
    case .unauthorised:
      throw AttemptFailure(
        .credentialsRefused(
          FailedStep(stage, stackText: "it has another admin password"),
          source: room.origins[.adminPassword]?.written))
    }
  }

  private func unreadable(in stage: Stage) -> AttemptFailure {
    AttemptFailure(.stackError(FailedStep(stage, stackText: "the device's answer cannot be read")))
  }
}

/// The last state that a device reported while it joined.
private final class LastStatus: Sendable {
  private let status = Mutex<ShellyStatus?>(nil)

  func take(_ status: ShellyStatus) { self.status.withLock { $0 = status } }

  var text: String? {
    status.withLock { $0 }.map { status in
      "status \(status.status)" + (status.ssid.map { ", network \($0)" } ?? "")
    }
  }
}
