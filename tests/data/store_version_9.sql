BEGIN TRANSACTION;
CREATE TABLE articles (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id TEXT NOT NULL, 
	page_id INTEGER NOT NULL, 
	site TEXT NOT NULL, 
	url TEXT NOT NULL, 
	extractor TEXT NOT NULL, 
	wrapper_id INTEGER, 
	content_hash TEXT NOT NULL, 
	archived DOUBLE NOT NULL, 
	line BLOB NOT NULL, 
	UNIQUE (id), 
	UNIQUE (page_id), 
	FOREIGN KEY(page_id) REFERENCES frontier (id)
);
INSERT INTO "articles" VALUES(1,'id-gazette.example/1',1,'gazette.example','https://gazette.example/1','forest',NULL,'h',1800000000.0,X'789CAB56CA4EAD54B252504A4FAC4A2D2949D54BAD48CC2DC849D53754AA050089520992');
INSERT INTO "articles" VALUES(2,'id-harbour.example/1',5,'harbour.example','https://harbour.example/1','forest',NULL,'h',1800000000.0,X'789CAB56CA4EAD54B25250CA482C4ACA2F2DD24BAD48CC2DC849D53754AA050089190991');
CREATE TABLE exports (
	file TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	"offset" INTEGER NOT NULL, 
	crc INTEGER NOT NULL, 
	PRIMARY KEY (file)
);
CREATE TABLE fits (
	site TEXT NOT NULL, 
	recent TEXT NOT NULL, 
	PRIMARY KEY (site)
);
CREATE TABLE frontier (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	"key" TEXT NOT NULL, 
	url TEXT NOT NULL, 
	site TEXT NOT NULL, 
	state TEXT NOT NULL, 
	reason TEXT, 
	source_id INTEGER, 
	guid TEXT, 
	entry TEXT, 
	due DOUBLE NOT NULL, 
	attempts INTEGER NOT NULL, 
	doubts INTEGER DEFAULT '0' NOT NULL, 
	closes INTEGER DEFAULT '0' NOT NULL, 
	run TEXT, 
	lease DOUBLE, 
	scheduled DOUBLE NOT NULL, 
	part_of INTEGER, 
	moved_to INTEGER, 
	UNIQUE ("key"), 
	FOREIGN KEY(source_id) REFERENCES sources (id), 
	FOREIGN KEY(run) REFERENCES runs (id)
);
INSERT INTO "frontier" VALUES(1,'gazette.example/1','https://gazette.example/1','gazette.example','done',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(2,'gazette.example/2','https://gazette.example/2','gazette.example','new','timeout',NULL,NULL,NULL,1800000600.0,1,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(3,'gazette.example/3','https://gazette.example/3','gazette.example','new',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(4,'gazette.example/4','https://gazette.example/4','gazette.example','new',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(5,'harbour.example/1','https://harbour.example/1','harbour.example','done',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(6,'harbour.example/2','https://harbour.example/2','harbour.example','claimed',NULL,NULL,NULL,NULL,0.0,0,0,0,'240d5b7f703d4caa8a72075760197e90',1800003600.0,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(7,'harbour.example/3','https://harbour.example/3','harbour.example','new',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(8,'harbour.example/4','https://harbour.example/4','harbour.example','new',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(9,'valley.example/1','https://valley.example/1','valley.example','held',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(10,'valley.example/2','https://valley.example/2','valley.example','new',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(11,'valley.example/3','https://valley.example/3','valley.example','new',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
INSERT INTO "frontier" VALUES(12,'valley.example/4','https://valley.example/4','valley.example','new',NULL,NULL,NULL,NULL,0.0,0,0,0,NULL,NULL,1800000000.0,NULL,NULL);
CREATE TABLE mentions (
	page_id INTEGER NOT NULL, 
	source_id INTEGER NOT NULL, 
	guid TEXT, 
	PRIMARY KEY (page_id, source_id), 
	FOREIGN KEY(page_id) REFERENCES frontier (id), 
	FOREIGN KEY(source_id) REFERENCES sources (id)
);
CREATE TABLE pages (
	page_id INTEGER NOT NULL, 
	site TEXT NOT NULL, 
	url TEXT, 
	status INTEGER NOT NULL, 
	content_type TEXT, 
	body BLOB NOT NULL, 
	fetched_at DOUBLE NOT NULL, 
	article INTEGER, 
	truncated BOOLEAN, 
	PRIMARY KEY (page_id), 
	FOREIGN KEY(page_id) REFERENCES frontier (id)
);
INSERT INTO "pages" VALUES(1,'gazette.example',NULL,200,NULL,X'7801B329B00B4ACCCC0300092C0275',1800000000.0,1,NULL);
INSERT INTO "pages" VALUES(5,'harbour.example',NULL,200,NULL,X'7801B329B00B4ACCCC0300092C0275',1800000000.0,2,NULL);
INSERT INTO "pages" VALUES(9,'valley.example',NULL,200,NULL,X'7801B329B00B4ACCCC0300092C0275',1800000000.0,NULL,NULL);
CREATE TABLE pauses (
	host TEXT NOT NULL, 
	until DOUBLE NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (host)
);
INSERT INTO "pauses" VALUES('harbour.example',1800000300.0,'retry-after');
CREATE TABLE runs (
	id TEXT NOT NULL, 
	started DOUBLE NOT NULL, 
	ended DOUBLE, 
	PRIMARY KEY (id)
);
INSERT INTO "runs" VALUES('240d5b7f703d4caa8a72075760197e90',1800000000.0,NULL);
CREATE TABLE sites (
	site TEXT NOT NULL, 
	due DOUBLE, 
	run TEXT, 
	fence INTEGER NOT NULL, 
	PRIMARY KEY (site)
);
INSERT INTO "sites" VALUES('gazette.example',1800000000.0,'240d5b7f703d4caa8a72075760197e90',1);
INSERT INTO "sites" VALUES('harbour.example',1800000000.0,'240d5b7f703d4caa8a72075760197e90',1);
INSERT INTO "sites" VALUES('valley.example',1800000000.0,'240d5b7f703d4caa8a72075760197e90',1);
CREATE TABLE sketch_bands (
	band BIGINT NOT NULL, 
	page_id INTEGER NOT NULL, 
	PRIMARY KEY (band, page_id), 
	FOREIGN KEY(page_id) REFERENCES frontier (id)
);
CREATE TABLE sketches (
	page_id INTEGER NOT NULL, 
	sketch TEXT NOT NULL, 
	PRIMARY KEY (page_id), 
	FOREIGN KEY(page_id) REFERENCES frontier (id)
);
CREATE TABLE sources (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	url TEXT NOT NULL, 
	feed_url TEXT, 
	site TEXT, 
	title TEXT, 
	etag TEXT, 
	modified TEXT, 
	status TEXT, 
	interval DOUBLE, 
	failures INTEGER NOT NULL, 
	next_poll DOUBLE NOT NULL, 
	disabled BOOLEAN NOT NULL, 
	last_poll DOUBLE, 
	entries INTEGER, 
	new INTEGER, 
	PRIMARY KEY (id), 
	UNIQUE ("key")
);
INSERT INTO "sources" VALUES(1,'https://gazette.example/feed','https://gazette.example/feed',NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0.0,0,NULL,NULL,NULL);
CREATE TABLE store_version (
	version INTEGER NOT NULL
);
INSERT INTO "store_version" VALUES(9);
CREATE TABLE wrappers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	site TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	pinned BOOLEAN NOT NULL, 
	document TEXT NOT NULL, 
	created DOUBLE NOT NULL, 
	hits INTEGER NOT NULL, 
	misses INTEGER NOT NULL, 
	last_hit DOUBLE, 
	retired DOUBLE, 
	reason TEXT
);
CREATE INDEX sites_by_due ON sites (run, due, site);
CREATE INDEX sources_by_poll ON sources (disabled, next_poll);
CREATE INDEX wrappers_by_site ON wrappers (site, retired);
CREATE INDEX frontier_by_first ON frontier (part_of) WHERE part_of IS NOT NULL;
CREATE INDEX frontier_by_target ON frontier (moved_to) WHERE moved_to IS NOT NULL;
CREATE INDEX frontier_by_site ON frontier (state, site, id);
CREATE INDEX pages_by_article ON pages (site, article);
CREATE INDEX articles_by_site ON articles (site, seq);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('frontier',12);
INSERT INTO "sqlite_sequence" VALUES('articles',2);
COMMIT;
