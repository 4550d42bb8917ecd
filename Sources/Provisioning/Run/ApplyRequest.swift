public import Bluetooth

/// What a run is to do, and what its record says of itself.
public struct ApplyRequest: Sendable {
  /// The building; only selected rooms are in it.
  public var building: Building
  /// Globally unique id of the run.
  public var runID: String
  /// Version of the tool.
  public var toolVersion: String
  /// Name of this host.
  public var host: String
  /// The manifest as it was named.
  public var manifestPath: String
  /// SHA-256 of the manifest, lower-case hex.
  public var manifestSHA256: String
  /// Whether the building is virtual.
  public var isSimulated: Bool
  /// The adapter to use: `hci0` or an address; nil for the first that is ready.
  public var adapter: String?
  /// How long the survey at the start listens at most.
  public var survey: Duration
  /// How long the run waits for an adapter to be ready.
  public var adapterPatience: Duration

  /// A request.
  public init(
    building: Building, runID: String, toolVersion: String, host: String, manifestPath: String,
    manifestSHA256: String, isSimulated: Bool, adapter: String? = nil, survey: Duration = .seconds(10),
    adapterPatience: Duration = .seconds(30)
  ) {
    self.building = building
    self.runID = runID
    self.toolVersion = toolVersion
    self.host = host
    self.manifestPath = manifestPath
    self.manifestSHA256 = manifestSHA256
    self.isSimulated = isSimulated
    self.adapter = adapter
    self.survey = survey
    self.adapterPatience = adapterPatience
  }

  var started: RunStarted {
    RunStarted(
      run: runID, building: building.id, buildingName: building.name, toolVersion: toolVersion, host: host,
      manifestPath: manifestPath, manifestSHA256: manifestSHA256, simulated: isSimulated,
      rooms: building.rooms.map { room in
        PlannedRoom(
          room: room.id, name: room.name, profile: room.profile, address: room.address,
          settings: room.settingResults { _ in .notWritten })
      })
  }
}

/// What a run needs from the outside world, all of it passed in.
public struct ApplyEnvironment: Sendable {
  /// The radio.
  public var central: any Central
  /// The clock.
  public var clock: any TimeSource
  /// A number in 0…1 by chance, for jitter.
  public var chance: @Sendable () -> Double
  /// Asks a person whether rooms may get these devices; true is yes.
  public var confirm: @Sendable ([ProposedBinding]) async -> Bool
  /// Yields when a person wants the run to stop.
  public var interruptions: AsyncStream<Void>

  /// An environment.
  public init(
    central: any Central, clock: any TimeSource, chance: @escaping @Sendable () -> Double,
    confirm: @escaping @Sendable ([ProposedBinding]) async -> Bool, interruptions: AsyncStream<Void>
  ) {
    self.central = central
    self.clock = clock
    self.chance = chance
    self.confirm = confirm
    self.interruptions = interruptions
  }
}

/// A room and the device it would get, for a person to confirm.
public struct ProposedBinding: Hashable, Sendable {
  /// The room.
  public var room: Room
  /// The device.
  public var address: BluetoothAddress
  /// Its RSSI, in dBm.
  public var rssi: Int?

  /// A proposal.
  public init(room: Room, address: BluetoothAddress, rssi: Int?) {
    self.room = room
    self.address = address
    self.rssi = rssi
  }
}

extension Room {
  /// Its settings in the profile's order, each as far as `state` says.
  func settingResults(_ state: (SettingName) -> SettingState) -> [SettingResult] {
    let order = DeviceProfiles[profile]?.settings.map(\.name) ?? settings.keys.sorted()
    return order.compactMap { name in
      settings[name].map { SettingResult(name: name, value: $0.shown, state: state(name)) }
    }
  }
}
