import Bluetooth
import Engine
import Families
import FoundationEssentials
import Model
import Reporting
import SampleFacts
import Testing

@testable import Application

@Suite("a diagnosis names each problem of a computer and the command that corrects it")
struct DiagnosisTests {
  private static let address = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7113))

  /// A computer without problems.
  private static func host(_ change: (inout BluetoothFacts) -> Void = { _ in }) -> HostFacts {
    var bluetooth = BluetoothFacts(
      daemon: .known(
        DaemonFacts(command: ["/usr/libexec/bluetooth/bluetoothd", "--noplugin=midi"], process: 812)),
      configuration: .known(
        MainConfiguration("[LE]\nAutoconnecttimeout=16384\nConnectionSupervisionTimeout=200\n")),
      controllers: [controller("hci0", path: "usb1/1-3/1-3:1.0")], wifi: [], storedDevices: .known(2))
    change(&bluetooth)
    return HostFacts(
      kernel: .known("6.1.0-37-amd64"), isClockSynchronised: .known(true),
      load: .known(LoadFacts(average: 15.9, processors: 4)), bluetooth: .known(bluetooth),
      reports: StorageFacts(path: "reports", free: .known(50_000_000_000), access: .writable),
      files: [])
  }

  private static func controller(
    _ name: String, path: String, id: String? = "0bda:8771", bus: String = "usb",
    block: RadioBlock? = RadioBlock.none
  ) -> ControllerFacts {
    ControllerFacts(
      name: name, hardware: AdapterHardware(bus: bus, identifier: id, product: "Bluetooth Radio", path: path),
      block: block)
  }

  private static func radio(_ change: (inout RadioFacts.Item) -> Void = { _ in }) -> RadioFacts {
    var item = RadioFacts.Item(adapter: Adapter(id: address, name: "hci0", state: .ready), links: [])
    change(&item)
    return RadioFacts(stack: "BlueZ 5.66", adapters: [item])
  }

  private static func findings(
    _ host: HostFacts = host(), _ radio: RadioFacts = radio(), _ building: BuildingFacts? = nil
  )
    -> [Finding]
  {
    Diagnosis(host: host, radio: radio, building: building).findings
  }

  private static func text(_ findings: [Finding]) -> String {
    findings.lines(TerminalStyle(width: 100, hasColor: false)).joined(separator: "\n")
  }

  @Test("the diagnosis of a computer without problems lists the checks")
  func healthy() {
    #expect(
      Self.text(Self.findings()) == """
        ✓ Kernel 6.1.0-37-amd64.
        ✓ The system bus responds, and this user can use Bluetooth.
        ✓ BlueZ 5.66; process 812: /usr/libexec/bluetooth/bluetoothd --noplugin=midi.
        ✓ bluetoothd's settings are suitable for a run.
        ✓ Devices in bluetoothd's storage: 2.
        ✓ hci0: 00:1A:7D:DA:71:13, Bluetooth Radio (0bda:8771), at usb1/1-3/1-3:1.0, switched on, 0 links.
        ✓ A time server sets the clock.
        ✓ Free space for the reports in reports: 50 GB.

        No problem was found.
        """)
  }

  /// A computer with one problem.
  struct Case: CustomTestStringConvertible, Sendable {
    var code: String
    var severity: Finding.Severity
    var sentence: String
    var command: String?
    var host: HostFacts = DiagnosisTests.host()
    var radio: RadioFacts = DiagnosisTests.radio()

    var testDescription: String { "\(code): \(sentence)" }
  }

  private static func settings(_ text: String) -> HostFacts {
    host {
      $0.configuration = .known(
        MainConfiguration("[LE]\nAutoconnecttimeout=16384\nConnectionSupervisionTimeout=200\n" + text))
    }
  }

  private static func changed(_ change: (inout HostFacts) -> Void) -> HostFacts {
    var host = host()
    change(&host)
    return host
  }

  private static func reports(
    free: UInt64 = 50_000_000_000, _ access: StorageFacts.Access = .writable
  ) -> HostFacts {
    changed {
      $0.reports = StorageFacts(path: "my reports", free: .known(free), access: access)
    }
  }

  static let cases: [Case] = [
    Case(
      code: "kernel", severity: .note, sentence: "is unknown: no reason",
      host: changed { $0.kernel = .unknown("no reason") }),
    Case(
      code: "kernel", severity: .warning, sentence: "fails when an adapter appears",
      command: "apt-get install linux-image-amd64",
      host: changed { $0.kernel = .known("6.1.0-56-amd64") }),
    Case(
      code: "bus_unavailable", severity: .error, sentence: "There is no D-Bus",
      command: "sudo systemctl start dbus",
      radio: RadioFacts(failure: CentralError(.busUnavailable))),
    Case(
      code: "bluetoothd_not_running", severity: .error, sentence: "is not running",
      command: "sudo systemctl start bluetooth",
      radio: RadioFacts(failure: CentralError(.stackUnavailable))),
    Case(
      code: "bluetoothd_not_running", severity: .error, sentence: "while the kernel has no Bluetooth",
      command: "sudo modprobe btusb && sudo systemctl start bluetooth", host: host { $0.isInKernel = false },
      radio: RadioFacts(failure: CentralError(.stackUnavailable))),
    Case(
      code: "configuration", severity: .note, sentence: "it reads /other.conf",
      host: host {
        $0.daemon = .known(DaemonFacts(command: ["/b", "--noplugin=midi", "-f", "/other.conf"], process: 1))
      }),
    Case(
      code: "storage", severity: .error, sentence: "/my is not a directory.",
      host: reports(.noDirectory("/my"))),
    Case(
      code: "bus_permission", severity: .error, sentence: "no permission to use Bluetooth",
      command: "sudo adduser $USER bluetooth",
      radio: RadioFacts(failure: CentralError(.permissionDenied))),
    Case(
      code: "bluetoothd_silent", severity: .error, sentence: "does not respond correctly",
      command: "sudo systemctl restart bluetooth",
      radio: RadioFacts(failure: CentralError(.timedOut))),
    Case(
      code: "host_bluetooth", severity: .note, sentence: "are unknown: the building is simulated",
      host: changed { $0.bluetooth = .unknown("the building is simulated") }),
    Case(
      code: "bluetoothd", severity: .note, sentence: "BlueZ 5.66; its options are unknown: x.",
      host: host { $0.daemon = .unknown("x") }),
    Case(
      code: "bluetoothd", severity: .note, sentence: "there is no visible process",
      host: host { $0.daemon = .unknown("there is no visible process and no systemd unit") }),
    Case(
      code: "bluetoothd", severity: .note,
      sentence:
        "BlueZ 5.66; no process is visible to this user; the systemd unit starts: /b -x --noplugin=midi.",
      host: host { $0.daemon = .known(DaemonFacts(command: ["/b", "-x", "--noplugin=midi"], process: nil)) }),
    Case(
      code: "bluetoothd_version", severity: .warning, sentence: "BlueZ 5.87 can crash",
      radio: RadioFacts(stack: "BlueZ 5.87", adapters: radio().adapters)),
    Case(
      code: "bluetoothd_debugging", severity: .warning, sentence: "logs every message",
      command: "ExecStart=/b --noplugin=midi\\n",
      host: host { $0.daemon = .known(DaemonFacts(command: ["/b", "-d", "--noplugin=midi"], process: 1)) }),
    Case(
      code: "midi_plugin", severity: .note, sentence: "devices with that service (Firefly)",
      command: "ExecStart=/b --noplugin=midi\\n",
      host: host { $0.daemon = .known(DaemonFacts(command: ["/b"], process: 1)) }),
    // The arguments come from the host: none may become a command.
    Case(
      code: "midi_plugin", severity: .note, sentence: "BLE-MIDI",
      host: host { $0.daemon = .known(DaemonFacts(command: ["/b", "-C'; reboot; '"], process: 1)) }),
    Case(
      code: "midi_plugin", severity: .note, sentence: "BLE-MIDI",
      command: "ExecStart=/b --noplugin=a2dp,midi\\n",
      host: host { $0.daemon = .known(DaemonFacts(command: ["/b", "--noplugin=a2dp"], process: 1)) }),
    Case(
      code: "configuration", severity: .note, sentence: "settings are unknown: x",
      host: host { $0.configuration = .unknown("x") }),
    Case(
      code: "controller_mode", severity: .error, sentence: "switches Bluetooth LE off",
      command: "ControllerMode=dual",
      host: settings("[General]\nControllerMode=bredr\n")),
    Case(
      code: "temporary_timeout", severity: .warning, sentence: "forgets devices 10 s after a scan",
      command: "TemporaryTimeout=30", host: settings("[General]\nTemporaryTimeout=10\n")),
    Case(
      code: "auto_enable", severity: .note, sentence: "stays switched off", command: "AutoEnable=true",
      host: settings("[Policy]\nAutoEnable=false\n")),
    Case(
      code: "slow_advertisers", severity: .note, sentence: "less often than every 3.8 s",
      command: "Autoconnecttimeout=16384",
      host: host { $0.configuration = .known(MainConfiguration("[LE]\nConnectionSupervisionTimeout=200\n")) }),
    Case(
      code: "supervision_timeout", severity: .note,
      sentence: "after 420 ms without a packet, the kernel's default",
      command: "ConnectionSupervisionTimeout=200",
      host: host { $0.configuration = .known(MainConfiguration("[LE]\nAutoconnecttimeout=16384\n")) }),
    Case(
      code: "stored_devices", severity: .note, sentence: "storage has 101 devices",
      command: "bluetoothctl remove ADDRESS",
      host: host { $0.storedDevices = .known(101) }),
    Case(
      code: "stored_devices", severity: .note, sentence: "is unknown: readable by root only",
      host: host { $0.storedDevices = .unknown("readable by root only") }),
    Case(
      code: "no_adapter", severity: .error, sentence: "There is no Bluetooth adapter.",
      host: host { $0.controllers = [] }, radio: RadioFacts()),
    Case(
      code: "adapter_not_in_bluez", severity: .error,
      sentence: "The kernel has hci0, but bluetoothd does not.",
      command: "sudo systemctl restart bluetooth", radio: RadioFacts()),
    Case(
      code: "adapter_not_in_bluez", severity: .warning,
      sentence: "The kernel has hci1, but bluetoothd does not.",
      command: "sudo systemctl restart bluetooth",
      host: host { $0.controllers.append(controller("hci1", path: "usb1/1-4/1-4:1.0")) }),
    Case(
      code: "adapter_off", severity: .error, sentence: "hci0 is switched off.",
      command: "busctl set-property org.bluez /org/bluez/hci0 org.bluez.Adapter1 Powered b true",
      radio: radio { $0.adapter.state = .poweredOff }),
    Case(
      code: "adapter_blocked", severity: .error, sentence: "blocked by rfkill",
      command: "rfkill unblock bluetooth",
      host: host { $0.controllers = [controller("hci0", path: "usb1/1-3/1-3:1.0", block: .software)] },
      radio: radio { $0.adapter.state = .poweredOff }),
    Case(
      code: "adapter_blocked", severity: .error, sentence: "blocked by a switch",
      host: host { $0.controllers = [controller("hci0", path: "usb1/1-3/1-3:1.0", block: .hardware)] },
      radio: radio { $0.adapter.state = .blocked }),
    Case(
      code: "foreign_scan", severity: .warning, sentence: "Another program scans with hci0; each connection",
      command: "sudo roboprov doctor", radio: radio { $0.adapter.isScannedByOthers = true }),
    Case(
      code: "foreign_scan", severity: .warning, sentence: "scans with hci0: bluetoothctl (pid 812);",
      radio: radio {
        $0.adapter.isScannedByOthers = true
        $0.clients = ["bluetoothctl (pid 812)"]
      }),
    Case(
      code: "links_held", severity: .note, sentence: "hci0 holds links to C4:7C:8D:00:00:01.",
      command: "bluetoothctl disconnect C4:7C:8D:00:00:01",
      radio: radio { $0.links = [BluetoothAddress(rawValue: 0xC47C_8D00_0001)] }),
    Case(
      code: "links_held", severity: .warning, sentence: "may have no free slot",
      command: "bluetoothctl disconnect",
      radio: radio { $0.links = (1...5).map { BluetoothAddress(rawValue: 0xC47C_8D00_0000 + $0) } }),
    Case(
      code: "shared_usb_hub", severity: .note, sentence: "hci0 and hci1 are behind one USB hub (usb1/1-3)",
      host: host {
        $0.controllers = [
          controller("hci0", path: "usb1/1-3/1-3.1/1-3.1:1.0"),
          controller("hci1", path: "usb1/1-3/1-3.2/1-3.2:1.0"),
        ]
      }),
    Case(
      code: "wifi_on_same_chip", severity: .warning, sentence: "on one chip with wlan0 (iwlwifi)",
      command: "sudo rfkill block wifi",
      host: host {
        $0.controllers = [controller("hci0", path: "usb1/1-14/1-14:1.0", id: "8087:0029")]
        $0.wifi = [WiFiFacts(name: "wlan0", driver: "iwlwifi", isUp: true)]
      }),
    Case(
      code: "clock", severity: .warning, sentence: "No time server", command: "sudo timedatectl set-ntp true",
      host: changed { $0.isClockSynchronised = .known(false) }),
    Case(
      code: "clock", severity: .note, sentence: "is unknown: the kernel does not say",
      host: changed { $0.isClockSynchronised = .unknown("the kernel does not say") }),
    Case(
      code: "load", severity: .note, sentence: "busy (load average 9.1, 2 processors)",
      host: changed { $0.load = .known(LoadFacts(average: 9.06, processors: 2)) }),
    Case(
      code: "load", severity: .note, sentence: "is unknown: there is no /proc/loadavg",
      host: changed { $0.load = .unknown("there is no /proc/loadavg") }),
    Case(
      code: "storage", severity: .error, sentence: "cannot write reports to my reports.",
      command: "sudo chown -R $USER 'my reports'",
      host: reports(.denied)),
    Case(
      code: "storage", severity: .error, sentence: "Only 5 MB are free", command: "du -xh",
      host: reports(free: 5_000_000)),
    Case(
      code: "storage", severity: .warning, sentence: "Only 150 MB are free", command: "du -xh",
      host: reports(free: 150_000_000)),
    Case(
      code: "file_mode", severity: .error, sentence: "can use the site's key", command: "chmod 600 /k",
      host: changed { $0.files = [FileFacts(path: "/k", role: .siteKey, mode: 0o640)] }),
    Case(
      code: "file_mode", severity: .warning, sentence: "can read and change b.yaml, which has passwords",
      command: "chmod 600 b.yaml",
      host: changed {
        $0.files = [FileFacts(path: "b.yaml", role: .manifest(hasPasswords: true), mode: 0o666)]
      }),
  ]

  @Test("each problem has its finding, command and severity", arguments: cases)
  func wrong(_ test: Case) {
    let findings = Self.findings(test.host, test.radio)
    let found = findings.filter {
      $0.code == test.code && $0.severity == test.severity && $0.sentence.contains(test.sentence)
    }
    #expect(found.count == 1, "\(Self.text(findings))")
    if let command = test.command {
      #expect(found.first?.command?.contains(command) == true, "\(Self.text(findings))")
    } else {
      #expect(found.first?.command == nil, "\(Self.text(findings))")
    }
  }

  @Test("each code has a test case, except those of a building")
  func complete() {
    // These checks report no problem.
    let fine = ["bus", "adapter", "host"]
    let ofComputer = Diagnosis.serviceChecks + Diagnosis.radioChecks + Diagnosis.computerChecks
    let others = Diagnosis.adapterChecks.map(\.code) + Diagnosis.hostChecks.map(\.code)
    #expect(Set(Self.cases.map(\.code) + fine) == Set(ofComputer.map(\.code) + others))
    #expect(
      Set(Diagnosis.buildingChecks.map(\.code)) == [
        "manifest_adapter", "passwords", "rooms", "record", "reception",
      ])
  }

  /// The facts of a radio with a gateway and its adapter.
  private static func radio(
    of gateway: HostFacts = host(), _ state: Adapter.State = .ready, failure: HostUnavailable.Cause? = nil,
    clock: Duration? = nil, _ change: (inout RadioFacts.Item) -> Void = { _ in }
  ) -> RadioFacts {
    guard let name = HostName("floor-3") else { return radio() }
    var radio = radio()
    var item = RadioFacts.Item(
      adapter: Adapter(id: AdapterID(address.address, on: name), name: "floor-3/hci0", state: state),
      links: [])
    change(&item)
    if failure == nil { radio.adapters.append(item) }
    var facts = gateway
    facts.clockAhead = clock
    radio.hosts = [
      .init(
        description: HostDescription(name, ssh: "pi@gw3"), stack: "BlueZ 5.82",
        failure: failure.map { HostUnavailable(host: name, cause: $0, stackText: "ssh pi@gw3: gone") },
        roundTrip: .milliseconds(12), facts: facts)
    ]
    return radio
  }

  @Test("a gateway in order is two lines: that it is reached, and its adapter, apart from this computer's")
  func gateway() {
    let findings = Self.findings(Self.host(), Self.radio(of: Self.host()))
    #expect(
      findings.filter { $0.subject?.hasPrefix("floor-3") == true }.map(\.sentence) == [
        "floor-3: BlueZ 5.82, 1 adapter ready, a call takes up to 12 ms.",
        "floor-3/hci0: 00:1A:7D:DA:71:13, Bluetooth Radio (0bda:8771), at usb1/1-3/1-3:1.0, switched on, 0 links.",
      ])
    #expect(findings.allSatisfy { $0.severity == .ok })
  }

  @Test("each problem of a gateway has its name, and the command that corrects it there from here")
  func hosts() {
    func problems(_ radio: RadioFacts) -> [String] {
      Self.findings(Self.host(), radio).filter { $0.severity != .ok }.map {
        "\($0.subject ?? ""): \($0.sentence) \($0.command ?? "")"
      }
    }
    let old = Self.changed { $0.kernel = .known("6.1.0-56-arm64") }
    let strange = Self.changed { $0.kernel = .known("6.1.0-56-$(reboot)") }
    #expect(problems(Self.radio(of: strange)).isEmpty)
    #expect(
      problems(Self.radio(of: old)) == [
        "floor-3: floor-3: Kernel 6.1.0-56-arm64 fails when an adapter appears. ssh -t pi@gw3 "
          + "'sudo apt-get update && sudo apt-get install linux-image-arm64'"
      ])
    #expect(
      problems(Self.radio(of: Self.host(), .poweredOff)) == [
        "floor-3: floor-3: BlueZ 5.82, 0 adapters ready, a call takes up to 12 ms. ",
        "floor-3/hci0: floor-3/hci0 is switched off. ssh -t pi@gw3 "
          + "'busctl set-property org.bluez /org/bluez/hci0 org.bluez.Adapter1 Powered b true'",
      ])
    #expect(
      problems(Self.radio(of: Self.host(), clock: .seconds(-7200))) == [
        "floor-3: floor-3: its clock is about 2 h behind this computer's. Records and reports have the times of this "
          + "computer only. "
      ])
    #expect(problems(Self.radio(of: Self.host(), clock: .seconds(1))).isEmpty)
    #expect(
      problems(Self.radio(of: Self.host(), failure: .unreachable)) == [
        "floor-3: floor-3: cannot be reached (ssh pi@gw3: gone). The run tries it again, and goes on without it. "
      ])
    // A gateway has no roboprov, and may be reached by its WiFi.
    let shared = Self.host {
      $0.wifi = [WiFiFacts(name: "wlan0", driver: "rtl", isUp: true, usbPath: "usb1/1-3/1-3:1.2")]
    }
    let commands = Self.findings(
      Self.host(), Self.radio(of: shared) { $0.adapter.isScannedByOthers = true }
    ).filter { $0.code == "wifi_on_same_chip" || $0.code == "foreign_scan" }
    #expect(commands.count == 2 && commands.allSatisfy { $0.command == nil }, "\(commands)")
  }

  @Test("an unusable adapter is a warning beside a usable one, and an error otherwise")
  func oneOfTwo() {
    var radio = Self.radio()
    let second = Adapter(
      id: AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7114)), name: "hci1", state: .poweredOff)
    radio.adapters.append(.init(adapter: second, links: nil))
    let off = Self.findings(Self.host(), radio).first { $0.code == "adapter_off" }
    #expect(off?.severity == .warning && off?.subject == "hci1")
  }

  @Test(
    "WiFi and Bluetooth share a chip by driver or USB device, and only a connected WiFi counts",
    arguments: [
      ("8087:0029", "usb", "iwlwifi", true, true), ("8087:0029", "usb", "iwlwifi", false, false),
      ("0bda:8771", "usb", "rtw89", true, false), ("0a5c:1234", "usb", "iwlwifi", true, false),
      ("0cf3:e300", "usb", "ath10k_pci", true, true), ("0e8d:0608", "usb", "mt7921e", true, true),
      (nil, "serial", "brcmfmac", true, true), (nil, "serial", "iwlwifi", true, false),
    ] as [(String?, String, String, Bool, Bool)])
  func chips(_ id: String?, _ bus: String, _ driver: String, _ isUp: Bool, _ isShared: Bool) {
    let host = Self.host {
      $0.controllers = [Self.controller("hci0", path: "usb1/1-3/1-3:1.0", id: id, bus: bus)]
      $0.wifi = [WiFiFacts(name: "wlan0", driver: driver, isUp: isUp)]
    }
    #expect(Self.findings(host).contains { $0.code == "wifi_on_same_chip" } == isShared)
    let sameDevice = Self.host {
      $0.controllers = [Self.controller("hci0", path: "usb1/1-3/1-3:1.0", id: id)]
      $0.wifi = [WiFiFacts(name: "wlan0", driver: driver, isUp: isUp, usbPath: "usb1/1-3/1-3:1.2")]
    }
    #expect(Self.findings(sameDevice).contains { $0.code == "wifi_on_same_chip" } == isUp)
  }

  @Test("a run prints each warning about files in one line, with its command, before it starts")
  func line() {
    let host = Self.changed { $0.isClockSynchronised = .known(false) }
    let lines = Diagnosis(host: host).beforeRun.map(\.line)
    #expect(
      lines == [
        "roboprov: warning: no time server sets this computer's clock: times in the reports may be wrong: "
          + "`sudo timedatectl set-ntp true`"
      ])
    #expect(Diagnosis(host: Self.host()).beforeRun.isEmpty, "a host in order has no warnings")
  }

  // MARK: A building

  private static func room(
    _ number: Int, floor: String? = nil, family: DeviceFamily = .roboSensor, hasAddress: Bool = true,
    settings: [SettingName: SettingValue] = [:]
  ) -> Room {
    Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", floor: floor, family: family,
      address: hasAddress ? BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(number)) : nil,
      settings: [.minor: .integer(number)].merging(settings) { $1 }, timeouts: StageTimeouts(), retries: 0)
  }

  private static func building(
    _ rooms: [Room], adapters: [AdapterDescription] = [], _ change: (inout BuildingFacts) -> Void = { _ in }
  ) -> BuildingFacts {
    var facts = BuildingFacts(
      manifest: "building.yaml",
      building: Building(
        id: "house", name: "House", adapters: adapters, rooms: rooms, families: FamilyCatalogue.builtIn),
      known: Known())
    change(&facts)
    return facts
  }

  private static func found(_ code: String, _ building: BuildingFacts, _ host: HostFacts = host())
    -> [Finding]
  {
    findings(host, radio(), building).filter { $0.code == code }
  }

  @Test("rooms that were not received are listed by floor, with the place to go to")
  func reception() {
    let rooms = (301...310).map { room($0, floor: "3") } + (401...404).map { room($0, floor: "4") }
    let air = RoomReception(rooms, Known(), air: AirLedger(families: .builtIn))
    let building = Self.building(rooms) {
      $0.reception = .known(.init(seconds: 10, adapters: ["hci0"], rooms: air))
    }
    let finding = Self.found("reception", building).first
    #expect(
      finding?.sentence == "0 of 14 rooms received in 10 s on hci0; not received: Room 301–310, Room 401–404."
    )
    #expect(finding?.severity == .warning)
    #expect(
      finding?.advice?.hasPrefix("Move to floor 3 (Room 301–310), floor 4 (Room 401–404), check that") == true
    )
    #expect(finding?.command == "roboprov doctor building.yaml")
  }

  private func room(_ number: Int, floor: String) -> Room { Self.room(number, floor: floor) }

  @Test("the reception of a room is unknown if nothing was scanned")
  func noReception() {
    let building = Self.building([Self.room(1)]) { $0.reception = .unknown("no adapter can be used") }
    let finding = Self.found("reception", building).first
    #expect(
      finding?.severity == .note && finding?.sentence.contains("is unknown: no adapter can be used") == true)
  }

  @Test("an absent adapter of the manifest is named with the rooms that need it")
  func manifestAdapter() {
    var near = Self.room(1)
    near.near = "00:1A:7D:DA:71:99"
    let lobby = AdapterDescription("00:1A:7D:DA:71:99", alias: "lobby")
    let building = Self.building([near, Self.room(2)], adapters: [lobby, AdapterDescription("hci0")])
    let found = Self.found("manifest_adapter", building)
    #expect(found.count == 1)
    #expect(
      found.first?.sentence
        == "The manifest's adapter lobby (00:1A:7D:DA:71:99) is not present; rooms that are matched by it: Room 1."
    )
  }

  @Test(
    "of the versions of BlueZ, only one that crashes has a finding, on this computer and on a gateway",
    arguments: [("BlueZ 5.66", false), ("BlueZ 5.82", false), ("BlueZ 5.87", true), ("BlueZ 5.88", false)])
  func versions(_ stack: String, _ isNamed: Bool) {
    var radio = Self.radio(of: Self.host())
    radio.stack = stack
    for index in radio.hosts.indices { radio.hosts[index].stack = stack }
    let found = Self.findings(Self.host(), radio).filter { $0.code == "bluetoothd_version" }
    #expect(found.map(\.subject) == (isNamed ? [nil, "floor-3"] : []))
    #expect(found.allSatisfy { $0.advice?.contains("Install 5.86") == true })
  }

  @Test("rooms without an address are counted, with the command that reads labels")
  func withoutAddress() {
    let found = Self.found("rooms", Self.building([Self.room(1), Self.room(2, hasAddress: false)])).first
    #expect(
      found?.sentence == "1 room has no address: Room 2."
        && found?.command == "roboprov capture building.yaml")
    let any = Self.building([Self.room(2, hasAddress: false)]) { $0.building.assignment = .any }
    #expect(Self.found("rooms", any).first?.severity == .note)
  }

  @Test("a missing password and an unusable record are errors")
  func missing() {
    func wanted(_ network: String, _ source: SecretSource) -> SecretResolver.Wanted {
      SecretResolver.Wanted(
        reference: SecretReference(source, file: "building.yaml", line: 1, column: 1), networks: [network],
        descriptions: [])
    }
    let building = Self.building([Self.room(1)]) {
      $0.passwords = [
        (wanted("Staff", .environment("S")), nil), (wanted("Lab", .prompt), nil),
        (wanted("Guests", .environment("X")), .notSet),
      ]
      $0.recordFault = "journal.jsonl:3: line 3 was changed"
    }
    let passwords = Self.found("passwords", building)
    #expect(
      passwords.map(\.sentence) == [
        "Passwords that are set: 1 of 3.",
        "The password of Lab is unknown: `plan` and `apply` ask for it at the terminal.",
        "The password of Guests: the environment variable X is not set.",
      ])
    #expect(passwords.map(\.severity) == [.ok, .note, .error])
    #expect(Self.found("record", building).first?.severity == .error)
  }

  @Test("Firefly rooms, and only these, need bluetoothd without its MIDI plugin")
  func midi() {
    let host = Self.host { $0.daemon = .known(DaemonFacts(command: ["/b"], process: 1)) }
    let fireflies = Self.building([Self.room(1, family: .firefly), Self.room(2)])
    let found = Self.found("midi_plugin", fireflies, host)
    #expect(
      found.first?.severity == .warning
        && found.first?.sentence.hasSuffix("1 room cannot be written: Room 1.") == true)
    #expect(Self.found("midi_plugin", Self.building([Self.room(2)]), host).isEmpty)
    #expect(Self.found("midi_plugin", fireflies).isEmpty)
    let before = Diagnosis(host: host, building: fireflies).beforeRun
    #expect(before.map(\.code) == ["midi_plugin"])
  }

  @Test(
    "the longest usable advertising interval depends on kernel and settings",
    arguments: [
      ("6.1.0-37-amd64", "", 3.0, false), ("6.1.0-37-amd64", "", 10.0, true),
      ("6.1.0-37-amd64", "[LE]\nAutoconnecttimeout=16384\n", 10.0, false), ("6.12.9-1", "", 10.0, false),
      ("6.12.9-1", "", 30.0, true),
    ])
  func slow(_ kernel: String, _ settings: String, _ interval: Double, _ isWarned: Bool) {
    var host = Self.host { $0.configuration = .known(MainConfiguration(settings)) }
    host.kernel = .known(kernel)
    let room = Self.room(1, family: .iotDesignShop, settings: [.interval: .duration(.seconds(interval))])
    let found = Self.found("slow_advertisers", Self.building([room]), host)
    #expect(found.contains { $0.severity == .warning } == isWarned, "\(found)")
    #expect(
      Self.found("slow_advertisers", Self.building([Self.room(1)]), host).isEmpty,
      "other families have no finding")
  }
}
