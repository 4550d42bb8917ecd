package import Model
import Bluetooth

/// Examples of all facts.
package enum SampleFacts {
  static let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  static let adapter = AdapterID(BluetoothAddress(rawValue: 0xAD))
  static let family = DeviceFamily(
    id: "robo-sensor", title: "Robo Sensor",
    words: DeviceWords(
      label: "See the label.", notAnswering: "Wait.", serviceMissing: "Ask.", toPair: "pair it"),
    service: "180F",
    recognition: [], lifecycle: .provisioningMode, proof: .onAir,
    settings: [
      SettingDescription(
        .minor, "minor ID", short: "minor", .integer(0...9), isRequired: true, documentation: "")
    ], characteristics: [], stages: [])
  static let finished = RoomFinished(
    room: "lobby", outcome: .failed, address: address, adapter: AdapterID(address), attempts: 2, seconds: 3.5,
    rssi: -61, evidence: Evidence(grade: .savedStatus, address: address),
    settings: [SettingResult(name: .wifiPassword, value: nil, state: .written)],
    reason: .attributeRejected(FailedStep(.write, setting: .minor), attError: 0x0D))

  static let host: HostName = {
    guard let host = HostName("floor-3") else { preconditionFailure("a host has this name") }
    return host
  }()

  /// One fact of each kind. The tests name a kind that is missing here or in `Fact`'s table.
  package static let facts: [Fact] = [
    .runStarted(
      RunStarted(
        run: "r", building: "b", buildingName: "B", toolVersion: "0", host: "h", manifestPath: "m.yaml",
        manifestSHA256: "00", simulated: true, sealKey: "k", kernel: "Linux 6.1.0-18-amd64",
        operatingSystem: "Debian", clockBehind: 600,
        predecessors: [Predecessor(run: "q", last: String(repeating: "0a", count: 32))],
        rooms: [
          PlannedRoom(
            room: "lobby", name: "Lobby", profile: "robo-sensor",
            settings: [
              SettingResult(name: .wifiPassword, value: nil, state: .notWritten, fingerprint: "f00d")
            ], identity: 7, exclusion: Exclusion(.accepted, reason: "no power yet", by: "M. Muster"))
        ], families: [RecordedFamily(family)])),
    .adapterAwaited(AdapterAwaited(problem: .poweredOff, adapter: "hci0", seconds: 30)),
    .hostUnavailable(
      HostUnavailable(
        host: host, cause: .unreachable, stackText: "ssh pi@gw3: Permission denied (publickey).")),
    .adapterSelected(
      AdapterSelected(
        adapter: AdapterID(address), name: "hci0", alias: "east", place: "by the lift", stack: "BlueZ 5.66",
        hardware: AdapterHardware(
          manufacturer: 93, version: 10, bus: "usb", identifier: "0bda:8771", product: "Bluetooth Radio",
          driver: "btusb", path: "usb1/1-3/1-3:1.0"))),
    .adapterFaulted(
      AdapterFault(
        adapter: AdapterID(address), fault: .receivesNothing, wasPowerCycled: true, stackText: "no answer")),
    .linksHeld(LinksHeld(adapter: AdapterID(address), links: 5, isFull: true)),
    .linkReleased(LinkReleased(address: address, adapter: AdapterID(address))),
    .foreignScanDetected(
      ForeignScanDetected(adapter: AdapterID(address), clients: ["bluetoothctl (pid 812)"])),
    .scanStarted(ScanPeriod(adapter: AdapterID(address), purpose: .survey)),
    .scanStopped(ScanPeriod(adapter: AdapterID(address), purpose: .proof, room: "lobby")),
    .deviceSighted(
      DeviceSighted(
        address: address, adapter: AdapterID(address), profile: "robo-sensor", rssi: -50, identity: 7)),
    .bindingCommitted(BindingCommitted(room: "lobby", address: address, basis: .any, consent: .option)),
    .bindingReleased(
      BindingReleased(
        room: "lobby", address: address, cause: .replaced, reason: "dead", silent: true,
        adapters: [AdapterScan(adapter: AdapterID(address), name: "hci0", seconds: 10)],
        successor: BluetoothAddress(rawValue: 0xC47C_8D00_0002))),
    .roomRetired(RoomRetired(room: "lobby", reason: "torn down")),
    .roomAccepted(RoomAccepted(room: "lobby", reason: "no power yet", by: "M. Muster")),
    .roomVerified(
      RoomVerified(
        room: "lobby", finding: .duplicate, address: BluetoothAddress(rawValue: 0xC47C_8D00_0001),
        identity: 1,
        rssi: [-70, -60], windowsReceived: 2, windows: 3,
        others: [BluetoothAddress(rawValue: 0xC47C_8D00_0002)], adapter: AdapterID(address),
        adapters: [
          AdapterScan(adapter: AdapterID(address), name: "hci0", seconds: 10),
          AdapterScan(adapter: AdapterID(address), name: "hci1", seconds: 2.5, isComplete: false),
        ], unused: AdapterID(address))
    ),
    .hostPaused(HostPause(.suspended, seconds: 300)),
    .eventsOmitted(EventsOmitted([.init("device_sighted", 3), .init("scan_started", 200)])),
    .operatorAwaited(OperatorAwaited(room: "lobby", reason: .configuredOtherwise(12))),
    .operatorRequested(OperatorRequested(.stop, within: 20)),
    .attemptStarted(
      AttemptStarted(room: "lobby", address: address, adapter: AdapterID(address), number: 1, rssi: -50)),
    .bondIntended(
      BondIntended(
        room: "lobby", attempt: 1, address: address, adapter: AdapterID(address), isKept: true,
        isProtected: true)),
    .stageStarted(StageStarted(room: "lobby", attempt: 1, stage: .write, setting: .minor, timeout: 10)),
    .stageEnded(
      StageEnded(
        room: "lobby", attempt: 1, stage: .write, setting: .minor, seconds: 10,
        failure: .stageTimedOut(FailedStep(.write, setting: .minor), seconds: 10))),
    .statusReceived(StatusReceived(room: "lobby", attempt: 1, text: "error:flash", meaning: .refusal)),
    .settingsRead(SettingsRead(room: "lobby", attempt: 1, settings: [HeldSetting(name: .minor, value: "7")])),
    .wifiChecked(
      WiFiChecked(
        room: "lobby", attempt: 1, ssid: "Guests", result: .notReceived,
        networks: [FoundNetwork(ssid: "Office, 2nd floor", rssi: -61, channel: 36)])),
    .deviceDescribed(
      DeviceDescribed(
        room: "lobby", attempt: 1,
        details: [
          DeviceDetail(.firmware, "esphome"), DeviceDetail(.url, "http://192.168.7.31/"),
          DeviceDetail(.channel, "36"),
        ])),
    .elapsedSent(ElapsedSent(room: "lobby", attempt: 1, seconds: 0.512_345, byte: 13, since: .key)),
    .settingWritten(SettingWritten(room: "lobby", attempt: 1, setting: .roomName, bytes: 5)),
    .saveSubmitted(SaveSubmitted(room: "lobby", attempt: 1, address: address)),
    .linkEnded(LinkEnded(room: "lobby", attempt: 1, cause: .remote, expected: true)),
    .bondRemoved(BondRemoved(address: address, adapter: AdapterID(address))),
    .proofReceived(
      ProofReceived(
        room: "lobby", attempt: 1,
        evidence: Evidence(
          grade: .freshBeacon, address: address, identity: 7, rssi: -48, secondsAfterSave: 2.5))),
    .attemptEnded(
      AttemptEnded(
        room: "lobby", number: 1, seconds: 4, failure: .outOfSlots(FailedStep(.connect)),
        notCounted: .adapterFull)),
    .retryScheduled(RetryScheduled(room: "lobby", attempt: 2, delay: 2)),
    .canariesJudged(CanariesJudged(rooms: ["lobby"], approved: true)),
    .deviceUnclaimed(
      DeviceUnclaimed(
        address: BluetoothAddress(rawValue: 0xC47C_8D00_0009), adapter: adapter, profile: "robo-sensor",
        rssi: -70)),
    .roomFinished(finished),
    .runInterrupted(RunInterrupted(cause: .signal, detail: "SIGINT")),
    .runFinished(RunFinished(outcome: .incomplete)),
  ]
}
